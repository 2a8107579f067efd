/** A part of the program that is loaded when it is shown. */
import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  const Content = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return (props) => (
    <Suspense fallback={fallback}>
      <Content {...props} />
    </Suspense>
  );
}

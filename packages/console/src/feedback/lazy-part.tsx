/** A part of the program that is loaded when it is shown. */
import { Component, type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { FailureAlert } from "./failure.tsx";

export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  const Content = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return (props) => (
    <Boundary>
      <Suspense fallback={fallback}>
        <Content {...props} />
      </Suspense>
    </Boundary>
  );
}

/** Shows that a part could not be loaded, or is wrong. The rest of the page stays. */
class Boundary extends Component<Readonly<{ children: ReactNode }>, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};

  static getDerivedStateFromError = (error: Error) => ({ error });

  override render() {
    const { error } = this.state;
    // A newer version of the service has other parts, which the page gets when it is loaded again.
    return error ? <FailureAlert error={error} onRetry={() => location.reload()} /> : this.props.children;
  }
}

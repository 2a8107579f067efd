/** A part of the program that is loaded when it is shown. */
import { Component, type ComponentType, createElement, type ReactNode } from "react";
import { FailureAlert } from "./failure.tsx";

type State = { readonly error?: Error };

/** It does not use Suspense, which shows a part at the earliest 300 ms after its fallback. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return class extends Component<Props, State> {
    override state: State = {};

    static getDerivedStateFromError = (error: Error) => ({ error });

    override async componentDidMount() {
      if (loaded) return;
      loaded = await load().catch((error) => void this.setState({ error }));
      this.forceUpdate();
    }

    /** Shows that a part could not be loaded, or is wrong. The rest of the page stays. */
    override render() {
      const { error } = this.state;
      // A newer version of the service has other parts, which the page gets when it is loaded again.
      if (error) return <FailureAlert error={error} onRetry={() => location.reload()} />;
      return loaded ? createElement(loaded, this.props) : fallback;
    }
  };
}

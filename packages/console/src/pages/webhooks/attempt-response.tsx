import { Code } from "@mantine/core";
import { texts } from "../../texts/en.ts";
import type { Row } from "../../values/value.tsx";

/** What an endpoint responded to an attempt: the status or the error, and the rest when it is wanted. */
export function responseCell({ response_status, error, response_body }: Row) {
  return (
    <details>
      <summary className="wraps">{String(response_status ?? error ?? texts.none)}</summary>
      <Code block className="wraps">
        {[error, response_body].filter(Boolean).join("\n") || texts.none}
      </Code>
    </details>
  );
}

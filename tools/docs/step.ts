/** The steps of the story that the examples of the documents tell. */

/** The data of the example of an operation. @param path of one that came before, or "demo" for the demo business */
export type Said = (path: string) => Readonly<Record<string, unknown>>;

export interface Step {
  readonly path: string;
  readonly body: (said: Said) => object;
  /** Fields of the response that depend on the machine. The documents show the examples of their declarations. */
  readonly measured: readonly string[];
}

export const step = (
  path: string,
  body: object | ((said: Said) => object) = {},
  measured: readonly string[] = [],
): Step => ({ path, body: typeof body === "function" ? (body as Step["body"]) : () => body, measured });

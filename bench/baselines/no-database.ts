/** Baseline B: routes of the same framework that check the same schema and answer as much, without a database. */
import { ask } from "../child.ts";

export interface BareRoute {
  readonly path: string;
  /** JSON Schema of the body. */
  readonly schema: object;
  readonly answer: object;
}

export interface BareServer {
  readonly port: number;
  stop(): void;
}

/** Starts the server in a process of its own. */
export async function startBareServer(routes: readonly BareRoute[]): Promise<BareServer> {
  const { child, answer } = await ask<{ port: number }>(new URL("./bare-server.js", import.meta.url), routes);
  return { port: answer.port, stop: () => child.kill() };
}

/**
 * The process of baseline B: Fastify as its documentation shows it. Its routes check the same schema and answer as much,
 * without a database.
 */
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { isDay } from "../../src/domain/dates.ts";
import { isPlainLines, isPlainText, isVisibleAscii } from "../../src/domain/text.ts";

export interface BareRoute {
  readonly path: string;
  /** JSON Schema of the body. */
  readonly schema: object;
  readonly answer: object;
}

process.once("message", async (routes: BareRoute[]) => {
  const app = Fastify({
    ajv: {
      customOptions: {
        coerceTypes: false,
        formats: {
          "plain-text": isPlainText,
          "plain-lines": isPlainLines,
          "visible-ascii": isVisibleAscii,
          date: isDay,
        },
      },
    },
  });
  for (const { path, schema, answer } of routes) {
    app.post(path, { schema: { body: schema } }, async () => answer);
  }
  await app.listen({ host: "127.0.0.1", port: 0 });
  process.send?.({ port: (app.server.address() as AddressInfo).port });
});

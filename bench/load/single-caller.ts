import { KeepAliveConnection, requestText } from "./connection.ts";

/** Sends requests to one path, one after the other over one connection: what a single caller waits for. */
export class SingleCaller {
  readonly #connection: KeepAliveConnection;
  readonly #path: string;
  readonly #authorization: string;
  #waiting: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined;

  constructor(port: number, path: string, authorization: string) {
    this.#path = path;
    this.#authorization = authorization;
    this.#connection = new KeepAliveConnection(
      port,
      (status, body) => {
        if (status < 300) this.#waiting?.resolve(body);
        else this.#waiting?.reject(new Error(`${path} answered ${status}: ${body}`));
      },
      (error) => this.#waiting?.reject(error),
    );
  }

  /** @returns the answer's body and how long it took @throws when it is no success */
  async ask(body: object): Promise<{ text: string; milliseconds: number }> {
    const request = requestText(this.#path, JSON.stringify(body), this.#authorization);
    const sentAt = performance.now();
    const text = await new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#connection.send(request);
    });
    return { text, milliseconds: performance.now() - sentAt };
  }

  close(): void {
    this.#connection.close();
  }
}

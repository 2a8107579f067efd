import type { Database } from "../database/connection.ts";

export interface DemoOptions {
  readonly dataDirectory: string;
  readonly baseUrl: string;
  readonly say: (line: string) => void;
}

/** Being written. */
export async function makeDemo(_sql: Database, _options: DemoOptions): Promise<void> {}

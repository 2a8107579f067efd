import type { ImportName } from "../../../../../src/domain/imports/jobs.ts";
import { writes } from "../../api/writes.ts";

/** What a line of a file can have. */
export const lineFields = (kind: ImportName) =>
  writes[`/op/imports/${kind}`].input.lines?.items?.properties ?? {};

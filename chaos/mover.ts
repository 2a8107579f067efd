/** The command line with a shorter wait before the old rows are deleted: here, no operator reads for longer than partners do. */
import { usualWaits } from "../src/backup/move-ends.ts";

Object.assign(usualWaits, { readsMilliseconds: 16_000 });
await import("../src/cli/main.ts");

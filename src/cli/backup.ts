/** `loyalty backup`: a copy of the embedded database and its secrets, while the service runs or when it does not. */
import { mkdir, rmdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import { BackupError } from "../database/backup/files.ts";
import { makeBackup } from "../database/backup/make.ts";
import type { Acting } from "./context.ts";
import { embeddedDataDirectory, interruptible } from "./data-directory.ts";
import { exampleText } from "./examples.ts";
import { byteText, numberText } from "./terminal/quantities.ts";

export function backupCommand(acting: Acting): Command {
  return new Command("backup")
    .summary("Back up the database that the service runs itself")
    .description(
      "Copies the database of the data directory, with the service's secrets, into a new directory. The service may " +
        "be running: what was acknowledged before the backup began is in it. Run it on the machine of the service, " +
        "as the service's user, with its LOYALTY_DATA_DIR. The directory holds members' data and secrets, so guard " +
        "it as the data directory itself. With DATABASE_URL, use the tools of your PostgreSQL: pg_basebackup, pg_dump.",
    )
    .argument(
      "<directory>",
      "Where to make the backup; it must not be there yet, or be empty. Missing parents are made.",
    )
    .addHelpText("after", exampleText(["loyalty backup /backups/$(date +%F)"]))
    .action(
      acting(async (context, _options, [target = ""]) => {
        const dataDirectory = embeddedDataDirectory(process.env, "loyalty backup");
        const onProgress = (line: string) => context.err.line(line);
        const backup = await interruptible((signal) =>
          withParents(target, () => makeBackup({ dataDirectory, target, onProgress, signal })),
        );
        if (context.json) {
          const { madeAt, files, bytes, missing } = backup;
          return context.out.line(JSON.stringify({ made_at: madeAt, files, bytes, missing }));
        }
        context.out.line(
          `Backed up to ${target}: ${numberText(backup.files)} files, ${byteText(backup.bytes)}, as of ${backup.madeAt}.`,
        );
        for (const name of backup.missing) {
          context.err.line(
            `It has no ${name}: the data directory has none. Keep the one that you set yourself.`,
          );
        }
      }),
    );
}

/** Makes the directories that a path lies in, and removes them if nothing came to lie in them. */
async function withParents<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  const parent = dirname(resolve(path));
  const first = await mkdir(parent, { recursive: true, mode: 0o700 }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new BackupError(`${parent}, where the backup is to be made, can't be made (${error.code}).`);
    },
  );
  try {
    return await act();
  } catch (error) {
    if (first !== undefined) await removeEmpty(parent, first);
    throw error;
  }
}

/** From a directory up to another; whatever is not empty stays, and all above it. */
async function removeEmpty(from: string, to: string): Promise<void> {
  for (let directory = from; directory.length >= to.length; directory = dirname(directory)) {
    const removed = await rmdir(directory).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

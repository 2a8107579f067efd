import { constants, gunzipSync } from "node:zlib";
import { fieldError, fields, Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import { addPart, insertJob, sumFiles } from "../../../database/imports/jobs.ts";
import {
  fileDays,
  type ImportState,
  mostBytesOfBusiness,
  mostFileBytes,
  mostPartBytes,
} from "../../../domain/imports/jobs.ts";
import { importBodyBytes } from "../../../domain/imports/limits.ts";
import { wrongFile } from "../../../domain/imports/wrong-file.ts";
import { changedImport, deletedAfter, importId, lockImport } from "../../imports/import-jobs.ts";

/** Base64 with its padding (RFC 4648 section 4). */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The beginning of a file, unpacked if it is gzip, as our own programs send it. */
function headOf(content: Buffer): Buffer {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content;
  try {
    return gunzipSync(content.subarray(0, 4096), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    // The job that reads the file says what is wrong with it.
    return content;
  }
}

export const uploadImport = writeOperation({
  path: "/op/imports/upload",
  role: "manager",
  event: "import.uploaded",
  maximumBodyBytes: importBodyBytes,
  summary: "Upload a file to import",
  description:
    `Adds a part of a CSV file, up to ${mostPartBytes / 1e6} MB; a file has up to ${mostFileBytes / 1e9} GB. The first part names the ` +
    "file and gets an import_id, and the others name that. Send the parts in their order, and last with the last one. The file may " +
    `be compressed: gzip, or a zip archive with one file. Then check it with /op/imports/preview. ${deletedAfter}`,
  message: "Part of the file received.",
  input: {
    business_id: fields.businessId,
    import_id: Type.Optional({ ...importId, description: "The import, for all parts but the first." }),
    file_name: Type.Optional(fields.text(255, "The name of the file, with the first part.", "sales.csv")),
    part: fields.whole(0, 1_000_000, "The number of the part, from 0.", 0),
    content: Type.String({
      minLength: 1,
      maxLength: Math.ceil(mostPartBytes / 3) * 4,
      description: "The bytes of the part, in base64.",
      examples: ["ZXh0ZXJuYWxfcmVmLHNvbGRfYXQsYW1vdW50Cg=="],
    }),
    last: fields.option("Whether this is the last part.", true),
  },
  exactlyOneOf: ["file_name", "import_id"],
  output: changedImport,
  errors: ["import_not_found", "import_not_ready", "validation_failed"],
  check({ content }) {
    if (content === undefined || base64.test(content)) return [];
    return [fieldError("content", "invalid_format", "must be base64")];
  },
  async write({ input, tx, caller, audit, reject }) {
    const { import_id, file_name, part, last = false } = input;
    const key =
      import_id === undefined
        ? await insertJob(tx, caller.businessId, file_name as string)
        : { business_id: caller.businessId, import_id };
    const job = await lockImport(tx, key, ["uploading"]);
    if (job instanceof Rejection) return job;
    if (job.parts !== part)
      return reject("validation_failed", {
        errors: [fieldError("part", "not_allowed_value", `must be ${job.parts}, the next one`)],
      });
    const content = Buffer.from(input.content, "base64");
    const wrong = part === 0 ? wrongFile(headOf(content)) : undefined;
    if (wrong !== undefined)
      return reject("validation_failed", {
        errors: [{ field: "content", code: "not_allowed_value", message: wrong }],
      });
    const total = await sumFiles(tx, caller.businessId);
    const problem =
      job.bytes + content.length > mostFileBytes
        ? `takes the file past ${mostFileBytes / 1e9} GB`
        : total + content.length > mostBytesOfBusiness
          ? `takes the files of the business past ${mostBytesOfBusiness / 1e9} GB: each one is deleted ${fileDays} days after its last check or import`
          : undefined;
    if (problem !== undefined) {
      return reject("validation_failed", { errors: [fieldError("content", "too_long", problem)] });
    }
    await addPart(tx, key, { part, content, isLast: last });
    audit({ before: null, after: null });
    const state: ImportState = last ? "uploaded" : "uploading";
    return { import_id: key.import_id, state };
  },
});

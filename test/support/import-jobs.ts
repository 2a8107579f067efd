/** What tests of imported files do. */
import type { Body } from "./engine-requests.ts";
import { asOperator, operatorWrite } from "./operator-requests.ts";
import type { World } from "./world.ts";

export type ImportId = Readonly<{ business_id: number; import_id: number }>;

export const base64 = (content: string | Uint8Array) => Buffer.from(content as string).toString("base64");

export function importJobs(world: World) {
  const jobOf = async (id: ImportId): Promise<Body> =>
    (await asOperator(world, "/op/imports/get", id)).body.data;
  /** Waits until no process works on it. */
  const ended = async (id: ImportId): Promise<Body> => {
    for (;;) {
      const job = await jobOf(id);
      if (job.state !== "checking" && job.state !== "importing") return job;
      await new Promise((go) => setTimeout(go, 20));
    }
  };
  return {
    jobOf,
    ended,
    async upload(business_id: number, content: string | Uint8Array, file_name = "sales.csv") {
      const body = { business_id, file_name, part: 0, content: base64(content), last: true };
      const { import_id } = await operatorWrite(world, "/op/imports/upload", body);
      return { business_id, import_id } as ImportId;
    },
    /** Amounts are in minor units, unless the options say something else. */
    async preview(id: ImportId, options: Body = {}): Promise<Body> {
      const unit = options.decimal === undefined && { amount_unit: "minor" };
      await operatorWrite(world, "/op/imports/preview", { ...id, kind: "sales", ...unit, ...options });
      return ended(id);
    },
    async start(id: ImportId): Promise<Body> {
      await operatorWrite(world, "/op/imports/start", id);
      return ended(id);
    },
  };
}

import { fieldError, fields, Rejection, writeOperation, wrongValue } from "../../../contract/declare.ts";
import type { CheckContext } from "../../../contract/operation.ts";
import { findMissingLocations } from "../../../database/catalog.ts";
import { checkJob, findMappings, saveMapping } from "../../../database/imports/jobs.ts";
import { type ImportState, importNames, mostMappings, mostPlaces } from "../../../domain/imports/jobs.ts";
import {
  changedImport,
  type ImportOptions,
  importId,
  lockImport,
  mappingFields,
  requestOptions,
  writingFields,
} from "../../imports/import-jobs.ts";
import { fieldsOfFile, hasOption, importKinds } from "../../imports/import-kinds.ts";
import { withSaved } from "../../imports/saved-options.ts";
import { isCountry } from "../../members/phone-numbers.ts";

const states: readonly ImportState[] = ["uploaded", "checked", "cancelled", "failed", "ended"];

export const previewImport = writeOperation({
  path: "/op/imports/preview",
  role: "manager",
  event: "import.previewed",
  summary: "Check a file to import",
  description:
    "Starts a job that reads all lines of an uploaded file and imports none. It finds how the file is written, what the lines come " +
    "to, and which lines would be rejected; /op/imports/get returns that. Repeat it with other options until all is right, and then " +
    "send /op/imports/start.",
  message: "The file is being checked.",
  input: {
    business_id: fields.businessId,
    import_id: importId,
    kind: fields.choice(importNames, "What the lines are.", "sales"),
    ...writingFields,
    ...requestOptions,
    ...mappingFields,
  },
  output: changedImport,
  errors: ["import_not_found", "import_not_ready", "location_not_found"],
  async check(given, context) {
    const { kind, like, save_as } = given;
    if (kind === undefined) return [];
    const mappings = await findMappings(context.services.lookUps, context.businessId, kind);
    const names = [...mappings.keys()].join(", ") || "none";
    if (like !== undefined && !mappings.has(like))
      return [wrongValue("like", `is not saved for ${kind}; these are: ${names}`)];
    if (save_as !== undefined && !mappings.has(save_as) && mappings.size >= mostMappings)
      return [fieldError("save_as", "too_long", `would be one name more than ${mostMappings}`)];
    const input: typeof given = withSaved(mappings.get(like ?? ""), given);
    if ((input.locations?.length ?? 0) > mostPlaces)
      return [
        fieldError("locations", "too_long", `would be more than ${mostPlaces} with those that are saved`),
      ];
    const { country, columns = [], defaults = [] } = input;
    const { operation } = importKinds[kind];
    const known = fieldsOfFile(importKinds[kind]);
    const others = Object.keys(input).filter((field) => !hasOption(importKinds[kind], field));
    const unknown = Object.entries({ columns, defaults }).flatMap(([name, given]) =>
      given.filter(({ field }) => !Object.hasOwn(known, field)).map(({ field }) => ({ name, field })),
    );
    const ofRequest = (await operation.check?.(input as never, context as CheckContext)) ?? [];
    return [
      ...others.map((field) => wrongValue(field, `is not an option for ${kind}`)),
      ...unknown.map(({ name, field }) =>
        wrongValue(name, `has no field ${field} for ${kind}: ${Object.keys(known).join(", ")}`),
      ),
      ...(country !== undefined && !isCountry(country)
        ? [wrongValue("country", "must be a code of ISO 3166-1, such as ES")]
        : []),
      ...ofRequest,
    ];
  },
  async write({ input, tx, caller, audit, reject }) {
    const { business_id: _, import_id, kind, like, save_as, ...given } = input;
    const { businessId } = caller;
    const saved = like === undefined ? undefined : (await findMappings(tx, businessId, kind)).get(like);
    const options: typeof given = withSaved(saved, given);
    const key = { business_id: businessId, import_id };
    const job = await lockImport(tx, key, states);
    if (job instanceof Rejection) return job;
    if (job.parts === 0) return reject("import_not_ready", { state: job.state });
    const named = [options, ...(options.locations ?? [])].flatMap(({ location_id }) => location_id ?? []);
    const location_ids = await findMissingLocations(tx, businessId, named);
    if (location_ids.length > 0) return reject("location_not_found", { location_ids });
    const part = (isRequest: boolean) =>
      Object.fromEntries(Object.entries(options).filter(([name]) => name in requestOptions === isRequest));
    await checkJob(tx, key, kind, { ...part(false), request: part(true) } as ImportOptions);
    if (save_as !== undefined) await saveMapping(tx, businessId, { kind, name: save_as, options });
    audit({ before: null, after: null });
    return { import_id, state: "checking" as const };
  },
});

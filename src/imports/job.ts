/** A job: reads a file to find how it is written, checks its lines, or imports them. */
import type { Services } from "../contract/services.ts";
import { type BusinessRow, findBusiness } from "../database/access/businesses.ts";
import type { Connection } from "../database/connection.ts";
import {
  findPart,
  importLeases,
  type JobProgress,
  type LeasedJob,
  saveProgress,
} from "../database/imports/jobs.ts";
import { JobLost, type JobSteps } from "../database/jobs/steps.ts";
import type { AmountUnit, System } from "../domain/imports/jobs.ts";
import type { ImportForm, ImportOptions } from "../operations/imports/import-jobs.ts";
import { type ImportKind, importKinds } from "../operations/imports/import-kinds.ts";
import { openSource, type Source } from "./file/source.ts";
import { dayForm } from "./form/times.ts";
import type { Money, StoredResult } from "./totals.ts";
import type { Writing } from "./writing.ts";

export interface JobParts extends JobSteps {
  readonly services: Services;
}

export interface Leased extends LeasedJob {
  readonly options: ImportOptions;
  readonly form: ImportForm | null;
  readonly result: StoredResult | null;
}

/** What a step of a job needs. */
export interface Job extends JobParts {
  readonly leased: Leased;
  readonly kind: ImportKind;
  readonly business: BusinessRow;
  readonly money: Money;
  /** The country whose national phone numbers are understood. */
  readonly country: string | null;
  readonly source: Source;
}

/** @throws JobLost when the process stops, or has lost the job; another one goes on with it at once */
export async function stopIfAsked({ sql, leased, stopped }: Pick<Job, "sql" | "leased" | "stopped">) {
  if (!stopped()) return;
  await importLeases.release(sql, leased);
  throw new JobLost();
}

/** Stores progress. @throws JobLost when the process has lost the job, or it was cancelled */
export async function keepJob(sql: Connection, { leased }: Pick<Job, "leased">, progress: JobProgress) {
  if ((await saveProgress(sql, leased, progress)) === undefined) throw new JobLost();
}

/** @throws JobLost when the business was deleted meanwhile */
export async function openJob(leased: Leased, parts: JobParts): Promise<Job> {
  const { sql, services } = parts;
  const business = await findBusiness(services.lookUps, leased.business_id);
  if (business === undefined) throw new JobLost();
  const { currency, currency_decimals: decimals, country } = business;
  async function* content() {
    for (let part = 0; part < leased.parts; part++) {
      const bytes = await findPart(sql, leased, part);
      if (bytes === undefined) throw new JobLost();
      yield bytes;
    }
  }
  return {
    ...parts,
    leased,
    kind: importKinds[leased.kind],
    business,
    money: { currency, decimals },
    // What was checked is what is imported, also after a change of the business.
    country:
      leased.state === "importing" && leased.form ? leased.form.country : (leased.options.country ?? country),
    source: await openSource(content, leased.options.encoding ?? "UTF-8"),
  };
}

/** How the file is written, as far as the options say, or the form that was found. */
export function writingOf(
  { leased: { options }, money, country }: Pick<Job, "leased" | "money" | "country">,
  form?: ImportForm,
): Writing {
  const { columns = [], defaults = [], date_format, decimal } = options;
  const from = options.from ?? form?.from ?? undefined;
  return {
    column: new Map(columns.map(({ field, column }) => [field, column])),
    default: new Map(defaults.map(({ field, value }) => [field, value])),
    from,
    dateFormat: date_format === undefined ? undefined : dayForm(date_format),
    decimals: (unitOf(options, from) ?? form?.amount_unit) === "minor" ? undefined : money.decimals,
    decimalSign: decimal,
    currency: money.currency,
    country,
  };
}

/** The unit of amounts, if the options say it. All systems whose files are known write major units. */
export const unitOf = ({ amount_unit, decimal }: ImportOptions, from?: System): AmountUnit | undefined =>
  amount_unit ?? (decimal !== undefined || from !== undefined ? "major" : undefined);

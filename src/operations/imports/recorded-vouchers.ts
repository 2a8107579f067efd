/** Checks and records a chunk of imported vouchers. */
import { Rejection } from "../../contract/declare.ts";
import { findToday } from "../../database/access/businesses.ts";
import { findDefinitions } from "../../database/engine/rewards/vouchers.ts";
import {
  findContactsOfLines,
  findImportedVouchers,
  type ImportedVoucher,
} from "../../database/imports/look-ups.ts";
import { recordLines } from "../../database/imports/recording.ts";
import { lockLedger } from "../../database/ledger/ledger.ts";
import { addDays, lastDay } from "../../domain/dates.ts";
import type { VoucherDefinition } from "../../domain/engine/rules.ts";
import { importVoucher } from "../../domain/engine/vouchers/voucher.ts";
import { type OpenLedger, openLedger } from "../../pipeline/postings/open-ledger.ts";
import type { ChunkContext, ChunkOutcome, EarlierLines } from "./chunks.ts";
import { candidateOf, type Decisions, decideLines, recordsWith } from "./imported-lines.ts";
import { memberFailures, namingProblems } from "./imported-sales.ts";
import {
  definitionFinder,
  differencesOfVoucher,
  earlierVoucher,
  type FoundVoucher,
  identityOfVoucher,
  type KnownVoucher,
  keptOfVoucher,
  recordOfVoucher,
  type VoucherLine,
  voucherLineFields,
} from "./imported-vouchers.ts";
import { type LineError, lineChecker, lineError, withStoredNumbers } from "./imports.ts";

const needed = { balances: ["vouchers"] } as const;

const checkVoucherFields = lineChecker(voucherLineFields);

export async function recordVoucherLines({
  input: { lines, dry_run = false },
  tx,
  caller,
  emit,
  earlier: waiting,
}: ChunkContext<{
  readonly lines: readonly VoucherLine[];
  readonly dry_run?: boolean;
}>): Promise<ChunkOutcome> {
  const { businessId } = caller;
  const checked = lines.map((line) => checkVoucherLine(withStoredNumbers(line, caller.country)));
  const read = checked.map(({ line }) => line);
  // Everything is looked up under the lock: an import at the same time, also of this file, can record the same vouchers.
  if (!dry_run) await lockLedger(tx, businessId);
  const [contacts, definitions] = await Promise.all([
    findContactsOfLines(tx, caller, read),
    // Codes are compared here.
    findDefinitions(
      tx,
      businessId,
      read.some(({ coupon_code }) => coupon_code !== undefined)
        ? "all"
        : read.flatMap(({ voucher_id }) => voucher_id ?? []),
    ),
  ]);
  const contactIds = contacts.flatMap(({ contact_id }) => contact_id ?? []);
  // A check reads no balances.
  const ledger = dry_run ? undefined : await openLedger(tx, businessId, contactIds, needed);
  const today = ledger?.today ?? ((await findToday(tx, businessId)) as string);
  const definitionsOf = definitionFinder(definitions);
  const candidates = checked.map((one, index) => {
    const contact = contacts[index] as (typeof contacts)[number];
    const named = { definitions: definitionsOf(one.line), today };
    return candidateOf(one, { ...contact, ...named }, identityOfVoucher(one.line, one.bad));
  });
  const digests = candidates.flatMap(({ identity }) => identity?.digest ?? []);
  const recorded = await findImportedVouchers(tx, caller, digests);
  const earlier = await waiting;
  const records = recordsWith<KnownVoucher, ImportedVoucher>(recorded, digests, earlier, (kept) =>
    earlierVoucher(kept, earlier as EarlierLines),
  );
  const { rows, ...outcome } = decideLines(
    candidates,
    voucherDecisions(ledger, records),
    earlier !== undefined,
  );
  if (ledger !== undefined && rows.length > 0) {
    const imported = rows.map(({ digest, held_voucher_id, content }) => {
      return { business_id: businessId, digest, held_voucher_id, content };
    });
    await Promise.all([recordLines(tx, imported), ledger.record()]);
    emit({ contact_ids: [...new Set(contactIds)], data: { imported: rows.length } });
  }
  return outcome;
}

const checkVoucherLine = (line: VoucherLine) =>
  checkVoucherFields(line, (has) => {
    const named = namingProblems(line, has);
    if (has("voucher_id") || has("coupon_code")) return named;
    return [...named, lineError(line, "", "required", "must name a definition by voucher_id or coupon_code")];
  });

interface NewVoucher extends KnownVoucher {
  readonly digest: string;
  readonly held_voucher_id: number;
}

/** Decisions about vouchers, which become the next ones of the business. */
function voucherDecisions(
  ledger: OpenLedger<typeof needed> | undefined,
  records: Map<string, KnownVoucher>,
): Decisions<VoucherLine, FoundVoucher, KnownVoucher, NewVoucher> {
  return {
    records,
    keptOf: keptOfVoucher,
    differencesOf: differencesOfVoucher,
    failuresOf: failuresOfVoucher,
    accept(line, found, identity) {
      let held_voucher_id = 0;
      const contact_id = found.contact_id as number;
      const definition = found.definitions[0] as VoucherDefinition;
      const lapses_on = line.valid_through === undefined ? null : addDays(line.valid_through, 1);
      const posted = ledger?.post(contact_id, ({ member, voucherNo }) => {
        held_voucher_id = voucherNo;
        const given = { ...line, contact_id, lapses_on };
        return importVoucher(member?.balances.vouchers ?? 0, definition, given, {
          today: found.today,
          voucherNo,
        });
      });
      if (posted instanceof Rejection) {
        const problem = "takes the balance past the largest";
        return [lineError(line, "coupon_value", "balance_limit_exceeded", problem)];
      }
      return { ...recordOfVoucher(line, found, identity), digest: identity.digest, held_voucher_id };
    },
  };
}

function failuresOfVoucher(line: VoucherLine, found: FoundVoucher): LineError[] {
  const failures = memberFailures(line, found);
  const { voucher_id, coupon_code, issued_on, valid_through } = line;
  const { definitions, today } = found;
  const named = voucher_id === undefined ? "coupon_code" : "voucher_id";
  if (definitions.length === 0 && (voucher_id ?? coupon_code) !== undefined)
    failures.push(lineError(line, named, "voucher_not_found", "names no voucher definition"));
  if (definitions.length > 1) {
    const ids = definitions.map((one) => one.voucher_id).join(", ");
    failures.push(
      lineError(line, named, "not_allowed_value", `names several definitions: ${ids}; use voucher_id`),
    );
  }
  const [definition] = definitions;
  if (definition !== undefined && definition.kind !== "value" && (line.coupon_value ?? 0) !== 0)
    failures.push(
      lineError(
        line,
        "coupon_value",
        "not_allowed_value",
        `must be 0, because the definition pays a ${definition.kind === "item" ? "unit of an article" : "share"}`,
      ),
    );
  if (issued_on !== undefined && issued_on > today)
    failures.push(lineError(line, "issued_on", "out_of_range", "must not be in the future"));
  if (valid_through !== undefined && valid_through < today)
    failures.push(lineError(line, "valid_through", "out_of_range", "is in the past: the voucher has lapsed"));
  if (valid_through !== undefined && valid_through >= lastDay)
    failures.push(lineError(line, "valid_through", "out_of_range", `must be before ${lastDay}`));
  return failures;
}

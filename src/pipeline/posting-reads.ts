/** What a batch of postings needs to know of the database before it is decided. */
import type { Connection } from "../database/connection.ts";
import {
  type AccountRow,
  findAccounts,
  findKeptAnswers,
  type KeptKey,
  type LedgerHead,
} from "../database/ledger.ts";
import type { LedgerRead, WantedAccounts } from "../database/ledger-reads.ts";
import type { PostingCommand } from "./posting-batch.ts";

export interface LedgerFound extends LedgerRead {
  readonly head: LedgerHead;
}

/**
 * Reads the head of a ledger, and of the members that the commands name the accounts that any of them names.
 * @param read does it
 * @param neighbours whether to read those of their neighbours, too
 * @throws when there is no such business
 */
export async function readLedgerFor(
  read: (wanted: WantedAccounts) => Promise<LedgerRead>,
  businessId: number,
  commands: readonly PostingCommand[],
  neighbours: boolean,
): Promise<LedgerFound> {
  const [contactIds, accounts] = [contactIdsOf(commands), accountsOf(commands)];
  const wanted = { businessId, contactIds, accounts, neighbours };
  const { head, accounts: found } = await read(wanted);
  if (head === undefined) throw new Error(`business ${businessId} has no ledger`);
  return { head, accounts: found };
}

/** Reads the accounts alone, for a ledger that is locked. */
export function findAccountsFor(
  connection: Connection,
  businessId: number,
  commands: readonly PostingCommand[],
): Promise<AccountRow[]> {
  return findAccounts(connection, businessId, contactIdsOf(commands), accountsOf(commands));
}

/** Finds which of the commands' keys were used before, with the answers. */
export function findKeptAnswersFor(
  connection: Connection,
  businessId: number,
  commands: readonly PostingCommand[],
): Promise<KeptKey[]> {
  const integrationIds = distinct(commands, (command) => command.integrationId);
  const keys = distinct(commands, (command) => command.key);
  return findKeptAnswers(connection, businessId, integrationIds, keys);
}

const contactIdsOf = (commands: readonly PostingCommand[]) =>
  distinct(commands, (command) => command.input.contact_id);
const accountsOf = (commands: readonly PostingCommand[]) =>
  distinct(commands, (command) => command.operation.account);

function distinct<Value>(
  commands: readonly PostingCommand[],
  pick: (command: PostingCommand) => Value,
): Value[] {
  return [...new Set(commands.map(pick))];
}

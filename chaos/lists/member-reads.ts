/**
 * Reads of the member list, held against a naive reading of the members. One writer changes them, one change after
 * the other: what a read saw must be the members after some number of changes, of those that may have been done.
 */
import type { ListedMember } from "../../src/database/members/search.ts";
import type { Violations } from "../chaos.ts";
import { checkPagination, type Read, type Span } from "./ledger-reads.ts";

export interface KnownMember extends ListedMember {
  readonly email: string | null;
  readonly active: boolean;
}

export interface MemberFilter {
  readonly search?: string;
  readonly include_inactive?: boolean;
}

export type MemberRead = Read<MemberFilter, ListedMember>;

/** The members after every change that was made. */
export class MemberHistory {
  /** Newest first; the nth is that after n changes. */
  readonly #states: (readonly KnownMember[])[] = [[]];
  readonly #spans: Span[] = [];

  get newest(): readonly KnownMember[] {
    return this.#states.at(-1) ?? [];
  }

  get changes(): number {
    return this.#spans.length;
  }

  /** Adds a change that was acknowledged: the member as it is now. */
  add(member: KnownMember, span: Span): void {
    const others = this.newest.filter(({ member_id }) => member_id !== member.member_id);
    this.#states.push([...others, member].sort((a, b) => b.member_id - a.member_id));
    this.#spans.push(span);
  }

  /** Compares one read. */
  check(read: MemberRead, violations: Violations): void {
    const { filter, rows, pagination } = read;
    const done = this.#spans.filter(({ answeredAt }) => answeredAt < read.sentAt).length;
    const begun = this.#spans.filter(({ sentAt }) => sentAt < read.answeredAt).length;
    const found = JSON.stringify({ total: pagination.total, rows });
    const matches = matcher(filter);
    const wrong = (what: string) =>
      violations.add(`members/list ${JSON.stringify({ filter, pagination })}: ${what}`);
    const { current_page, per_page } = pagination;
    for (let changes = done; changes <= begun; changes++) {
      const matching = (this.#states[changes] ?? []).filter(matches);
      const page = matching.slice((current_page - 1) * per_page, current_page * per_page).map(shownOf);
      if (JSON.stringify({ total: matching.length, rows: page }) !== found) continue;
      checkPagination(pagination, rows.length, wrong);
      return;
    }
    wrong(`${JSON.stringify(rows)} is none of the states from change ${done} to ${begun}`);
  }
}

function shownOf({ member_id, contact_id, first_name, last_name, phone_number }: KnownMember): ListedMember {
  return { member_id, contact_id, first_name, last_name, phone_number };
}

function matcher({ search, include_inactive = false }: MemberFilter) {
  const words = plain(search ?? "").split(/\s+/);
  return ({ active, first_name, last_name, phone_number, email }: KnownMember): boolean => {
    const text = plain([first_name, last_name, phone_number, email ?? ""].join("\n"));
    return (active || include_inactive) && words.every((word) => text.includes(word));
  };
}

/** Without accents and capitals. */
function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}

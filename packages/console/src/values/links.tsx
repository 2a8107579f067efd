/** Links to the pages of members and sales. */
import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { mergedWith } from "../../../../src/domain/merge-references.ts";
import { texts } from "../texts/en/texts.ts";
import { useMemberName } from "./member-names.ts";

type PageLinkProps = Readonly<{ href: string; className?: string; children: ReactNode }>;

export function PageLink({ href, className, children }: PageLinkProps) {
  return (
    // The page behind it has the whole text.
    <Anchor component={Link} {...{ href, className }} inherit lineClamp={3}>
      {children}
    </Anchor>
  );
}

/** The name of a member, which leads to its page. Its number stands for a name that can't be read. */
export function MemberLink({ contactId }: { readonly contactId: number }) {
  const name = useMemberName(contactId);
  const number = String(contactId);
  return (
    <PageLink href={`/members/${number}`} className="read-later">
      {name === undefined ? <span className="appears-late">{number}</span> : <Words>{name || number}</Words>}
    </PageLink>
  );
}

type OfSale = Readonly<{ sale_id: number | null; reference_id: string | null }>;

/** The receipt of what belongs to a sale, which leads to the page of the sale; a reference of something else leads nowhere. */
export function saleLink({ sale_id, reference_id }: OfSale): ReactNode {
  const receipt = <Words>{reference_id ?? String(sale_id)}</Words>;
  if (sale_id !== null) return <PageLink href={`/sales/${sale_id}`}>{receipt}</PageLink>;
  return reference_id && receipt;
}

/** The receipt of a ledger entry. One of a merge leads to the other member. */
export function entryLink(entry: OfSale & Parameters<typeof mergedWith>[0]): ReactNode {
  const other = mergedWith(entry);
  if (other === undefined) return saleLink(entry);
  return (
    <>
      {texts.merge.with} <MemberLink contactId={other} />
    </>
  );
}

/** Text of a person: in its own direction, and without making the page wider. */
export const Words = ({ children }: { readonly children: string }) => (
  <bdi className={wrapping(children)}>{children}</bdi>
);

/** The same for a cell of a table, which may be absent. */
export const wordsOf = (text: string | null | undefined) => text && <Words>{text}</Words>;

/** Breaks text inside a word only if the word is long: a table gets its columns as narrow as it may. A short number is one line. */
export const wrapping = (text: string): string =>
  /[^\s-]{28}/.test(text) ? "wraps" : /^\S{1,16}$/.test(text) ? "number" : "words";

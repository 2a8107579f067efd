import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { useMemberName } from "./member-names.ts";
import { Words } from "./words.tsx";

/** The name of a member, which leads to its page. Its number stands for a name that can't be read. */
export function MemberLink({ contactId }: { readonly contactId: number }) {
  const name = useMemberName(contactId);
  return (
    <Anchor component={Link} href={`/members/${contactId}`} inherit>
      {name === undefined ? (
        <span className="appears-late">{contactId}</span>
      ) : (
        <Words>{name || String(contactId)}</Words>
      )}
    </Anchor>
  );
}

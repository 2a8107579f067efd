/** The people and the scripts that may use the operator API, and who is signed in. */
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { Section } from "../../shell/section.tsx";
import { ListPage, OperationTable } from "../../tables/index.ts";
import { texts } from "../../texts/en.ts";

export function AccountsPage() {
  const t = texts.accounts;
  const newKey = <OperationButton path="/op/operator-keys/create" label={t.createKey} />;
  return (
    <>
      <ListPage
        words={t}
        path="/op/operators/list"
        create="/op/operators/create"
        columns={["name", "role", "status", "business_ids", "limit_amount", "limit_points", "last_seen_at"]}
        buttons={[
          { path: "/op/operators/update", label: texts.edit, edits: true },
          { path: "/op/operators/reset", label: t.reset },
          { path: "/op/operators/enable", label: t.enable, isFor: ({ status }) => status === "disabled" },
          { path: "/op/operators/disable", label: t.disable, isFor: ({ status }) => status !== "disabled" },
        ]}
      />
      <Section title={t.keys} beside={newKey}>
        <OperationTable
          path="/op/operator-keys/list"
          buttons={[{ path: "/op/operator-keys/revoke", label: t.revoke }]}
          empty={t.noKeys}
        />
      </Section>
      <Section title={t.sessions}>
        <OperationTable
          path="/op/sessions/list"
          columns={["name", "address", "last_seen_at", "expires_at"]}
          buttons={[{ path: "/op/sessions/revoke", label: t.endSession }]}
          empty={t.noSessions}
        />
      </Section>
    </>
  );
}

/** One member: what it has, why it has it, and what can be done about it. */
import { Alert, Tabs } from "@mantine/core";
import { useSearchParams } from "wouter";
import { useBusiness } from "../../business.tsx";
import { Details, MemberLink, OperationButton, outputOf, PageTitle, PrintButton } from "../../components.ts";
import { isolated, texts } from "../../texts/index.ts";
import { CorrectBalance, MemberActions } from "./actions.tsx";
import * as lists from "./lists.tsx";
import { type Member, type OfMember, Overview } from "./overview.tsx";

const tabs = {
  points: lists.PointsHistory,
  vouchers: lists.MemberVouchers,
  stamps: lists.MemberStampCards,
  cards: lists.MemberCards,
  sales: lists.MemberSales,
  timeline: lists.Timeline,
  profile: Profile,
} as const;

export function MemberPage({ record: member }: { readonly record: Member }) {
  const { name } = useBusiness();
  return (
    <>
      <PageTitle
        title={`${member.first_name} ${member.last_name}`.trim() || texts.member.erased}
        subtitle={`${isolated(name)} · ${member.phone_number} · ${texts.member.number(member.contact_id)}`}
      >
        {member.active && <CorrectBalance member={member} />}
        <MemberActions member={member} />
        <PrintButton />
      </PageTitle>
      {!member.active && (
        <Alert color="orange" title={texts.member.inactive}>
          {/* What it had belongs to the other one, and operations about it show that. So its page shows nothing of it. */}
          {member.merged_into && [texts.member.mergedInto, " "]}
          {member.merged_into && <MemberLink contactId={member.merged_into} />}
        </Alert>
      )}
      {member.merged_into === null ? <Contents member={member} /> : <Profile member={member} />}
    </>
  );
}

function Contents({ member }: OfMember) {
  const [parameters, setParameters] = useSearchParams();
  const shown = parameters.get("show") ?? "";
  return (
    <>
      <Overview member={member} />
      <Tabs
        value={shown in tabs ? shown : "points"}
        onChange={(tab) => setParameters(tab && tab !== "points" ? { show: tab } : {}, { replace: true })}
        {...{ mt: "lg", keepMounted: false }}
      >
        <Tabs.List mb="md">
          {Object.keys(tabs).map((name) => (
            <Tabs.Tab key={name} value={name}>
              {texts.member.tabs[name as keyof typeof tabs]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(tabs).map(([name, Content]) => (
          <Tabs.Panel key={name} value={name}>
            <Content member={member} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

const contactData = ["first_name", "last_name", "phone_number", "email", "remarks", "date_of_birth"];

/** The data of a member, which can be edited. */
function Profile({ member }: OfMember) {
  const shown = [...contactData, "external_ref", "joined_at", "has_password"];
  return (
    <>
      <Details record={member} fields={outputOf("/op/members/get")} show={shown} />
      {member.active && <OperationButton path="/op/members/update" button={{ mt: "lg" }} />}
    </>
  );
}

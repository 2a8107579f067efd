/** One member: what it has, why it has it, and what can be done about it. */
import { Alert, Anchor, Tabs } from "@mantine/core";
import { Link, useSearchParams } from "wouter";
import { Read } from "../../feedback/read.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { texts } from "../../texts/en.ts";
import { MemberActions } from "./actions.tsx";
import { CorrectBalance } from "./correct-balance.tsx";
import { MemberSales } from "./member-sales.tsx";
import { MemberVouchers } from "./member-vouchers.tsx";
import { type Member, type OfMember, Overview } from "./overview.tsx";
import { PointsHistory } from "./points-history.tsx";
import { Profile } from "./profile.tsx";
import { Timeline } from "./timeline.tsx";

const tabs = {
  points: PointsHistory,
  vouchers: MemberVouchers,
  sales: MemberSales,
  timeline: Timeline,
  profile: Profile,
} as const;
type TabName = keyof typeof tabs;

const first: TabName = "points";

export function MemberPage({ record: member }: { readonly record: Member }) {
  return (
    <>
      <PageTitle
        title={`${member.first_name} ${member.last_name}`.trim() || texts.member.erased}
        subtitle={`${member.phone_number} · ${texts.member.number(member.contact_id)}`}
      >
        {member.active && <CorrectBalance member={member} />}
        <MemberActions member={member} />
      </PageTitle>
      {!member.active && (
        <Alert color="orange" variant="light" mb="md" title={texts.member.inactive}>
          {member.merged_into !== null && <MergedInto contact_id={member.merged_into} />}
        </Alert>
      )}
      {member.merged_into === null ? <Contents member={member} /> : <Profile member={member} />}
    </>
  );
}

/** What a merged member had belongs to this one, and operations about it show that. So its page shows nothing of it. */
function MergedInto({ contact_id }: { readonly contact_id: number }) {
  return (
    <Read path="/op/members/get" request={{ contact_id }}>
      {({ first_name, last_name }) => (
        <Anchor component={Link} href={`/members/${contact_id}`}>
          {texts.member.mergedInto(`${first_name} ${last_name}`.trim() || texts.member.number(contact_id))}
        </Anchor>
      )}
    </Read>
  );
}

function Contents({ member }: OfMember) {
  const [parameters, setParameters] = useSearchParams();
  const shown = parameters.get("show") ?? first;
  return (
    <>
      <Overview member={member} />
      <Tabs
        value={shown in tabs ? shown : first}
        onChange={(tab) =>
          setParameters(tab === null || tab === first ? {} : { show: tab }, { replace: true })
        }
        mt="lg"
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {Object.keys(tabs).map((name) => (
            <Tabs.Tab key={name} value={name}>
              {texts.member.tabs[name as TabName]}
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

/** The balances, the points that expire next, and the tier with what is missing for the next one. */
import { Alert, Box, Flex, Progress } from "@mantine/core";
import { type DataOf, Details, Figure, outputOf, useBusiness, useRead, Words } from "../../components.ts";
import { decimalText, nextTierText, pointsTexts, texts, tierTexts } from "../../texts/index.ts";

export type Member = DataOf<"/op/members/get">;

export type OfMember = Readonly<{ member: Member }>;

/** The whole width. */
const line = "1 0 100%";

const buying = ["visits", "last_visit_on", "sales_balance", "average_sale"];

export function Overview({ member }: OfMember) {
  const { money } = useBusiness();
  const { tier, next_tier } = member;
  const read = useRead("/op/members/balances", {});
  const points = read.data?.data;
  const { member: t, labels } = texts;
  const name = points?.rp_name ?? labels.points_balance;
  const lines = (texts: readonly string[]) => texts.map((line) => <div key={line}>{line}</div>);
  return (
    <>
      <Flex wrap="wrap" gap="sm" mb="sm">
        <Figure label={name} value={decimalText(member.points_balance, 0)} flex={{ base: line, sm: 1 }}>
          {/* What follows does not move when the rest is there. */}
          {read.isPending && member.points_balance > 0 && <Box mih="2.8rem" />}
          {points && lines(pointsTexts(points, money))}
        </Figure>
        <Figure label={labels.wallet_balance} value={money(member.wallet_balance)} flex={1} />
        <Figure label={labels.vouchers_balance} value={money(member.vouchers_balance)} flex={1} />
        <Figure label={labels.tier_name} value={<Words>{tier?.name ?? t.noTier}</Words>} flex={line}>
          {lines(tierTexts(member, money))}
          {next_tier && (
            <div>
              <Progress
                my={4}
                aria-label={t.progress(next_tier.name)}
                value={Math.min(100, (100 * next_tier.sales_now) / Math.max(1, next_tier.qualifying_sales))}
              />
              {nextTierText(next_tier, money)}
            </div>
          )}
        </Figure>
      </Flex>
      <Details record={member} fields={outputOf("/op/members/get")} show={buying} />
      {member.remarks && (
        <Alert title={labels.remarks}>
          <Words>{member.remarks}</Words>
        </Alert>
      )}
    </>
  );
}

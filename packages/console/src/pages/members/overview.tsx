/** The balances, the points that expire next, and the tier with what is missing for the next one. */
import { Box, Progress, SimpleGrid } from "@mantine/core";
import { type DataOf, useRead } from "../../api/index.ts";
import { Figure, useBusiness, Words } from "../../components.ts";
import { dayText, decimalText, texts } from "../../texts/index.ts";

export type Member = DataOf<"/op/members/get">;

export type OfMember = Readonly<{ member: Member }>;

export function Overview({ member }: OfMember) {
  const { business_id, money } = useBusiness();
  const { contact_id, tier, next_tier, keep_tier } = member;
  const read = useRead("/op/members/balances", { business_id, contact_id });
  const points = read.data?.data;
  const t = texts.member;
  const name = points?.rp_name ?? texts.labels.points_balance;
  const [next] = points?.points_expiring.filter(({ valid_through }) => valid_through !== null) ?? [];
  const pending = points?.points_pending ?? [];
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <Figure label={name} value={decimalText(member.points_balance, 0)}>
        {/* What follows does not move when the rest is there. */}
        {read.isPending && member.points_balance > 0 && <Box mih={{ base: "4.2rem", md: "2.8rem" }} />}
        {points && points.points_amount > 0 && <div>{t.worth(money(points.points_amount))}</div>}
        {next?.valid_through && (
          <div>{t.expires(decimalText(next.points, 0), dayText(next.valid_through))}</div>
        )}
        {pending.map(({ matures_on, points: count }) => (
          <div key={matures_on}>{t.pending(decimalText(count, 0), dayText(matures_on))}</div>
        ))}
        {points && points.points_owed > 0 && <div>{t.owed(decimalText(points.points_owed, 0))}</div>}
      </Figure>
      <Figure label={texts.labels.wallet_balance} value={money(member.wallet_balance)} />
      <Figure label={texts.labels.vouchers_balance} value={money(member.vouchers_balance)} />
      <Figure label={texts.labels.tier_name} value={tier === null ? t.noTier : <Words>{tier.name}</Words>}>
        {tier && <div>{t.tierUntil(dayText(tier.valid_through))}</div>}
        {tier?.by_hand && <div>{t.tierByHand}</div>}
        {keep_tier && (
          <div>
            {keep_tier.sales_missing === 0
              ? t.keepsTier
              : t.keepTier(money(keep_tier.sales_missing), dayText(keep_tier.from), dayText(keep_tier.until))}
          </div>
        )}
        {next_tier && (
          <div>
            <Progress
              my={4}
              aria-label={t.progress(next_tier.name)}
              value={Math.min(100, (100 * next_tier.sales_now) / Math.max(1, next_tier.qualifying_sales))}
            />
            {next_tier.sales_missing === 0
              ? t.nextTierSoon(next_tier.name)
              : t.nextTier(money(next_tier.sales_missing), next_tier.name)}
            {next_tier.reach_by && ` ${t.reachBy(dayText(next_tier.reach_by))}`}
          </div>
        )}
      </Figure>
    </SimpleGrid>
  );
}

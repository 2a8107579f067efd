/** What members see of the business: the logo and the colour of their page, and passes for the wallets of their phones. */
import { Anchor, Avatar, Group, isLightColor, Paper, Text } from "@mantine/core";
import { home } from "../api/place.ts";
import { OperationButton, PageTitle, Section, useBusiness } from "../components.ts";
import { colon, decimalText, labelOf, memberPageTexts as t } from "../texts/index.ts";
import { Settings } from "./settings.tsx";

const link = { href: `${home}/docs/guides/wallet-passes`, target: "_blank", inherit: true };
const guide = <Anchor key="guide" {...{ ...link, underline: "always", children: t.guide }} />;

const colorForm = { path: "/op/businesses/update", show: ["color"] } as const;
const isOther = (url: unknown) => typeof url === "string" && !url.startsWith(home);

export function PassesPage() {
  const { name, color, logo_path, money } = useBusiness();
  const bg = color ?? "#0b7285";
  const c = isLightColor(bg) ? "#000" : "#fff";
  const facts = { points: decimalText(120, 0), wallet: money(2550), tier: t.exampleTier };
  const logo = logo_path === null ? null : home + logo_path;
  // Google reads only https.
  const offered = logo?.startsWith("https:") ? logo : null;
  return (
    <>
      <PageTitle title={t.title} subtitle={[t.explanation, " ", guide]}>
        <OperationButton path="/op/members/page-link" label={t.open} />
      </PageTitle>
      <Section title={t.look}>
        <Group>
          <Avatar {...{ src: logo, name, size: 80, radius: "md", color: color ?? "cyan" }} />
          <OperationButton path="/op/businesses/logo" canSubmit={({ logo: chosen }) => Boolean(chosen)} />
          {logo && <OperationButton path="/op/businesses/logo" label={t.removeLogo} fixed={{ logo: null }} />}
          <OperationButton {...colorForm} label={t.color} initial={{ color }} />
        </Group>
      </Section>
      {(["apple", "google"] as const).map((kind) => {
        const of = `/op/${kind}-wallet` as const;
        return (
          <Settings
            key={kind}
            {...{ of, title: t[kind], refreshSeconds: 5 }}
            show={(set) => Object.keys(set).filter((fact) => set[fact] !== null)}
            // An earlier logo of the business has no address any more.
            buttons={({ pass_logo_url: url, ...set }) => [
              { path: `${of}/set-up`, suggested: { ...set, pass_logo_url: isOther(url) ? url : offered } },
              ...(set.pass_type || set.issuer_id ? [{ path: `${of}/delete` as const }] : []),
            ]}
          />
        );
      })}
      <Section title={t.preview}>
        <Paper {...{ bg, c, p: "lg", radius: "lg", maw: 340 }}>
          <Avatar {...{ src: logo, name, radius: "sm", color: c, mb: "xs" }} />
          <Text {...{ fw: 700, mb: "md", children: name }} />
          {Object.entries(facts).map(([fact, value]) => (
            <Text key={fact}>{labelOf(fact) + colon + value}</Text>
          ))}
        </Paper>
      </Section>
    </>
  );
}

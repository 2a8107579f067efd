/** What surrounds every page: the business, the menu, the account. */
import { AppShell, Box, Burger, Group, NativeSelect, NavLink, ScrollArea, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect } from "react";
import { Link, useLocation } from "wouter";
import { type BusinessData, keepLastBusiness, lastBusinessOf } from "../business.tsx";
import { businessPages, servicePages } from "../pages.tsx";
import { useSession } from "../session/session.tsx";
import { ownZone, texts } from "../texts/index.ts";
import { AccountMenu } from "./account-menu.tsx";
import { useOtherConsoles } from "./other-consoles.ts";

/** The business of the page, and those that can be chosen. */
type Choice = Readonly<{ business: BusinessData | undefined; businesses: readonly BusinessData[] }>;

export function Shell({ businesses, business, children }: Choice & { readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [address] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes when the page changes
  useEffect(close, [address]);
  useEffect(() => {
    if (business) keepLastBusiness(business);
  }, [business]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={{ base: "sm", sm: "lg" }}
    >
      <AppShell.Header>
        <a href="#content" className="skip-link">
          {texts.shell.skip}
        </a>
        <Group h="100%" px="sm" gap="xs" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={texts.shell.menu} />
          <BusinessChoice businesses={businesses} business={business ?? lastBusinessOf(businesses)} />
          <Text size="xs" c="dimmed" visibleFrom="xs" truncate>
            {business?.sandbox && <strong>{texts.shell.sandbox} </strong>}
            {texts.shell.zone(business?.time_zone ?? ownZone())}
          </Text>
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={texts.shell.menu}>
        <AppShell.Section grow mih={0} pb="sm" component={ScrollArea}>
          <MenuLinks business={business ?? lastBusinessOf(businesses)} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" pb="6rem">
        <Box maw="80rem" mx="auto">
          {children}
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}

function BusinessChoice({ businesses, business }: Choice) {
  const [address, navigate] = useLocation();
  const others = useOtherConsoles();
  const choose = (businessId: string) => {
    if (others.some(({ url }) => url === businessId)) return window.location.assign(businessId);
    // The same page of the other business, but not one member of it.
    const [, , section = ""] = address.split("/");
    navigate(`/${businessId}${business && section ? `/${section}` : ""}`);
  };
  const choices = businesses.map(({ business_id, name, sandbox }) => ({
    value: String(business_id),
    label: sandbox ? texts.shell.sandboxOf(name) : name,
  }));
  const elsewhere = others.map(({ name, url }) => ({ value: url, label: name }));
  const groups = elsewhere.length > 0 ? [{ group: texts.shell.otherCells, items: elsewhere }] : [];
  if (businesses.length + others.length === 0) return <Text fw={600}>{texts.product}</Text>;
  return (
    <NativeSelect
      miw="4rem"
      maw="18rem"
      aria-label={texts.shell.business}
      data={[...choices, ...groups]}
      value={String(business?.business_id)}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

/** A low window does not have space for the whole menu. */
const showInMenu = (link: HTMLElement | null) => link?.scrollIntoView({ block: "nearest" });

function MenuLinks({ business }: { readonly business: BusinessData | undefined }) {
  const [address] = useLocation();
  const { may } = useSession();
  const names = texts.menu.pages as Readonly<Record<string, string>>;
  const base = business ? `/${business.business_id}` : "";
  const groups = { ...(business && businessPages), service: servicePages };
  return Object.entries(groups).map(([group, pages]) => {
    const shown = pages.filter(({ path, needs }) => !path.includes(":") && may(needs));
    if (shown.length === 0) return null;
    return (
      <div key={group}>
        <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4}>
          {texts.menu.groups[group as keyof typeof texts.menu.groups]}
        </Text>
        {shown.map(({ path }) => {
          const href = group === "service" ? path : base + path;
          const isCurrent = address === href || address.startsWith(`${href}/`);
          return (
            <NavLink
              key={href}
              ref={isCurrent ? showInMenu : undefined}
              py={5}
              component={Link}
              href={href}
              label={names[path.slice(1)]}
              active={isCurrent}
              aria-current={isCurrent ? "page" : undefined}
            />
          );
        })}
      </div>
    );
  });
}

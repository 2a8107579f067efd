/** What surrounds every page: the business, the menu, the account. */
import { Alert, Anchor, AppShell, Avatar, Box, Burger, Group, NativeSelect, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect } from "react";
import { useLocation } from "wouter";
import { basePath } from "../api/place.ts";
import { type BusinessData, keepLastBusiness, lastBusinessOf } from "../business.tsx";
import { lazyPart } from "../feedback/lazy-part.tsx";
import { ownZone, texts } from "../texts/index.ts";
import { MenuLinks, OpenSearch } from "./menu.tsx";
import { useOtherConsoles } from "./missing.tsx";

const AccountMenu = lazyPart(async () => (await import("./account-menu.tsx")).AccountMenu, <Box w={80} />);

/** The business of the page, and those that can be chosen. */
type Choice = Readonly<{ business: BusinessData | undefined; businesses: readonly BusinessData[] }>;

export function Shell({ businesses, business, children }: Choice & { readonly children: ReactNode }) {
  const current = business ?? lastBusinessOf(businesses);
  const name = current?.name ?? texts.product;
  const src = current?.logo_path && basePath + current.logo_path;
  const color = current?.color ?? "var(--mantine-primary-color-filled)";
  const zone = { size: "xs", c: "dimmed", children: texts.shell.zone(business?.time_zone ?? ownZone()) };
  const [isOpen, { toggle, close }] = useDisclosure();
  const [address] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes when the page changes
  useEffect(close, [address]);
  useEffect(() => {
    if (business) keepLastBusiness(business);
  }, [business]);
  return (
    <AppShell
      {...{ header: { height: 56 }, padding: { base: "sm", sm: "lg" } }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
    >
      <AppShell.Header style={{ borderTop: `3px solid ${color}` }}>
        <Anchor
          {...{ href: "#content", className: "skip-link", pos: "absolute", top: 0, left: 0, p: "sm" }}
          {...{ bg: "var(--mantine-color-body)", style: { zIndex: 500 }, children: texts.shell.skip }}
        />
        <Group h="100%" px="sm" gap="xs" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={texts.shell.menu} />
          <Avatar visibleFrom="sm" variant="filled" radius="sm" aria-hidden {...{ name, color, src }} />
          <BusinessChoice businesses={businesses} business={current} />
          <Text {...{ ...zone, visibleFrom: "xs", truncate: true }} />
          <OpenSearch business={current} />
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={texts.shell.menu}>
        <AppShell.Section grow mih={0} p="xs" style={{ overflowY: "auto" }}>
          <Text {...{ ...zone, hiddenFrom: "xs", px: "sm" }} />
          <MenuLinks business={current} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" pb="6rem">
        <Box maw="80rem" mx="auto">
          {business?.sandbox && <Alert color="orange" mt={0} title={texts.shell.sandbox} />}
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
      {...{ miw: "4rem", maw: "18rem", data: [...choices, ...groups] }}
      {...{ "aria-label": texts.shell.business, value: String(business?.business_id) }}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

/** What surrounds every page: the business, the menu, the account. */
import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Menu,
  NativeSelect,
  NavLink,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { DataOf } from "../api/declarations.ts";
import { businessPages, servicePages } from "../pages.tsx";
import { ChangePassword } from "../session/password-dialogs.tsx";
import { useSession } from "../session/session.tsx";
import { texts } from "../texts/en.ts";
import { keepLastBusiness, lastBusinessOf } from "./last-business.ts";
import { useOtherConsoles } from "./other-consoles.ts";

export type BusinessItem = DataOf<"/op/businesses/list">;

interface ShellProps {
  readonly businesses: readonly BusinessItem[];
  readonly business: BusinessItem | undefined;
  readonly children: ReactNode;
}

export function Shell({ businesses, business, children }: ShellProps) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [address] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes when the page changes
  useEffect(close, [address]);
  useEffect(() => {
    if (business) keepLastBusiness(business.business_id);
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
          <BusinessChoice businesses={businesses} business={business} />
          {business && (
            <Text size="xs" c="dimmed" visibleFrom="xs" className="zone">
              {business.sandbox && <strong>{texts.shell.sandbox} </strong>}
              {texts.shell.zone(business.time_zone)}
            </Text>
          )}
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={texts.shell.menu}>
        <ScrollArea>
          <MenuLinks business={business ?? lastBusinessOf(businesses)} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <div className="content">{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}

function BusinessChoice({ businesses, business }: Omit<ShellProps, "children">) {
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
  if (businesses.length + others.length === 0) return <Text fw={600}>{texts.product}</Text>;
  return (
    <NativeSelect
      className="business-choice"
      aria-label={texts.shell.business}
      data={[
        ...(business ? [] : [{ value: "", label: texts.shell.chooseBusiness }]),
        ...choices,
        ...(elsewhere.length > 0 ? [{ group: texts.shell.otherCells, items: elsewhere }] : []),
      ]}
      value={business ? String(business.business_id) : ""}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

function MenuLinks({ business }: { readonly business: BusinessItem | undefined }) {
  const [address] = useLocation();
  const { may } = useSession();
  const names = texts.menu.pages as Readonly<Record<string, string>>;
  const base = business ? `/${business.business_id}` : "";
  const groups = { ...(business && businessPages), service: servicePages };
  return Object.entries(groups).map(([group, pages]) => {
    const shown = pages.filter(({ path, needs }) => !path.includes(":") && may(needs));
    if (shown.length === 0) return null;
    return (
      <div key={group} className="menu-group">
        <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4}>
          {texts.menu.groups[group as keyof typeof texts.menu.groups]}
        </Text>
        {shown.map(({ path }) => {
          const href = group === "service" ? path : base + path;
          const isCurrent = address === href || address.startsWith(`${href}/`);
          return (
            <NavLink
              key={href}
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

function AccountMenu() {
  const { operator, signOut } = useSession();
  const [isChanging, setChanging] = useState(false);
  const { setColorScheme } = useMantineColorScheme();
  const button = useRef<HTMLButtonElement>(null);
  const change = () => {
    // The dialog gives the focus back to what had it.
    button.current?.focus();
    setChanging(true);
  };
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <Group gap="xs" ml="auto" wrap="nowrap" flex="none">
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={isDark ? texts.shell.light : texts.shell.dark}
        onClick={() => setColorScheme(isDark ? "light" : "dark")}
      >
        <span aria-hidden>{isDark ? "☀" : "☾"}</span>
      </ActionIcon>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button ref={button} variant="default" className="account" px="sm" aria-label={operator.name}>
            <Text span inherit visibleFrom="xs" className="account-name">
              <bdi>{operator.name}</bdi>
            </Text>
            {/* A phone has no space for a name. The menu has it. */}
            <Text span inherit hiddenFrom="xs" tt="uppercase">
              {[...operator.name][0]}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown maw="min(20rem, 90vw)">
          <Menu.Label>
            <Text component="bdi" size="sm" className="wraps" c="var(--mantine-color-text)">
              {operator.name}
            </Text>
            <div>{texts.roles[operator.role]}</div>
          </Menu.Label>
          <Menu.Item onClick={change}>{texts.changePassword.title}</Menu.Item>
          <Menu.Item onClick={() => void signOut()}>{texts.shell.signOut}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isChanging && <ChangePassword name={operator.name} onClose={() => setChanging(false)} />}
    </Group>
  );
}

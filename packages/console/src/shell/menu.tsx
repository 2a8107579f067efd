/** The menu, and the search for everything, which knows its pages. */
import { Button, Kbd, NavLink, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { BusinessData } from "../business.tsx";
import { lazyPart } from "../feedback/lazy-part.tsx";
import { businessPages, servicePages } from "../pages.tsx";
import { useSession } from "../session/session.tsx";
import { texts } from "../texts/en/texts.ts";
import icons from "./icons.json" with { type: "json" };

const lines: Readonly<Record<keyof typeof texts.menu.pages | "search", string>> = icons;
const pen = { fill: "none", stroke: "currentColor", strokeWidth: 1.6, strokeLinecap: "round" } as const;

/** The picture of a page, in lines. */
const Icon = ({ of }: { readonly of: string }) => (
  <svg width="18" viewBox="0 0 24 24" aria-hidden="true" {...pen}>
    <path d={lines[of as keyof typeof lines]} />
  </svg>
);

const GroupTitle = Text.withProps({ size: "xs", fw: 600, c: "dimmed", px: "sm", pt: "sm", pb: 4 });

type OfBusiness = Readonly<{ business: BusinessData | undefined }>;

/** A low window does not have space for the whole menu. */
const showInMenu = (link: HTMLElement | null) => link?.scrollIntoView({ block: "nearest" });

/** The pages that the person may open, by the parts of the menu. */
function useMenu({ business }: OfBusiness) {
  const { may } = useSession();
  const names = texts.menu.pages as Readonly<Record<string, string>>;
  const base = business ? `/${business.business_id}` : "";
  const groups = { ...(business && businessPages), service: servicePages };
  return Object.entries(groups).map(([group, pages]) => {
    const hidden = business?.sandbox ? /:/ : /:|sandbox/;
    const shown = pages.filter(({ path, needs }) => !hidden.test(path) && may(needs));
    const links = shown.map(({ path, needs }) => ({
      value: group === "service" ? path : base + path,
      label: names[path.slice(1)] ?? "",
      page: path.slice(1),
      needs,
    }));
    return { label: texts.menu.groups[group as keyof typeof texts.menu.groups], links };
  });
}

export function MenuLinks(place: OfBusiness) {
  const [address] = useLocation();
  return useMenu(place).map(({ label: group, links }) => (
    <div key={group}>
      {links.length > 0 && <GroupTitle>{group}</GroupTitle>}
      {links.map(({ value, label, page }) => {
        const isCurrent = address === value || address.startsWith(`${value}/`);
        return (
          <NavLink
            key={value}
            ref={isCurrent ? showInMenu : undefined}
            {...{ component: Link, href: value, label, py: 3, bdrs: "sm", active: isCurrent }}
            leftSection={<Icon of={page} />}
            aria-current={isCurrent ? "page" : undefined}
          />
        );
      })}
    </div>
  ));
}

const Search = lazyPart(async () => (await import("./search.tsx")).Search);

export function OpenSearch(place: OfBusiness) {
  const [isOpen, setOpen] = useState(false);
  const pages = useMenu(place).flatMap(({ links }) => links);
  // A form that is open keeps the keys, so that nothing of it is lost.
  const open = () => document.querySelector("[role=dialog]") === null && setOpen(true);
  useHotkeys([["mod+K", open]], []);
  return (
    <>
      <Button
        {...{ ml: "auto", flex: "none", px: "xs", variant: "default", onClick: open }}
        {...{ "aria-haspopup": "dialog", "aria-label": texts.search.title }}
      >
        <Icon of="search" />
        <Kbd {...{ ml: "xs", size: "xs", visibleFrom: "sm", children: texts.search.keys }} />
      </Button>
      {isOpen && <Search {...{ ...place, pages }} onClose={() => setOpen(false)} />}
    </>
  );
}

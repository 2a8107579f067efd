import { Anchor, Group, Text } from "@mantine/core";
import { useLocation } from "wouter";
import { useAll } from "../api/queries.ts";
import { texts } from "../texts/en/texts.ts";
import { PageLink } from "../values/links.tsx";
import { PageTitle } from "./page-title.tsx";

/** The consoles of other cells. They have other businesses, and sessions of their own. */
export function useOtherConsoles() {
  const consoles = useAll("/op/consoles/list", {}).data?.data ?? [];
  return consoles.filter(({ url }) => !window.location.href.startsWith(url));
}

/** What an address shows that leads nowhere, or to what the role may not see. @param isBusiness whether no such business is here */
export function Missing({ isBusiness = false }: { readonly isBusiness?: boolean }) {
  const [address] = useLocation();
  const others = useOtherConsoles().map(({ name, url }) => (
    <Anchor key={url} {...{ href: url + address.slice(1), children: name }} />
  ));
  return (
    <>
      <PageTitle title={texts.missing.title} />
      <Text>{texts.missing.explanation}</Text>
      {isBusiness && others.length > 0 && <Text>{texts.missing.elsewhere}</Text>}
      <Group mb="md">{isBusiness && others}</Group>
      <PageLink href="/">{texts.missing.start}</PageLink>
    </>
  );
}

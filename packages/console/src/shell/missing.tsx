import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { texts } from "../texts/en.ts";
import { PageTitle } from "./page-title.tsx";

/** What an address shows that leads nowhere, or to what the role may not see. */
export function Missing() {
  return (
    <>
      <PageTitle title={texts.missing.title} />
      <Text>{texts.missing.explanation}</Text>
      <Anchor component={Link} href="/">
        {texts.missing.start}
      </Anchor>
    </>
  );
}

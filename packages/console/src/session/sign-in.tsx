/** The page for people who are not signed in. The address stays, so they return to the page that they wanted. */
import { Card, Center, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Note } from "../feedback/empty.tsx";
import { texts } from "../texts/en.ts";
import { PasswordForm, type SessionData } from "./password-form.tsx";

export function SignIn({ onSignedIn }: { readonly onSignedIn: (session: SessionData) => void }) {
  return (
    <EntryPage title={texts.signIn.title}>
      <PasswordForm path="/op/session/create" label={texts.signIn.submit} onDone={onSignedIn} />
      <Note mt="md">{texts.signIn.noAccount}</Note>
    </EntryPage>
  );
}

/** A card in the middle of an empty page. */
export function EntryPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Card withBorder padding="xl" w="100%" maw={400}>
        <Title order={1} size="h3" mb="md" className="wraps" lineClamp={3}>
          {title}
        </Title>
        {children}
      </Card>
    </Center>
  );
}

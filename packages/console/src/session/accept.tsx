/** The page of an invitation: it sets the first password. The token is in the fragment, which browsers don't send. */
import { Alert, Anchor, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { basePath } from "../api/place.ts";
import { texts } from "../texts/en.ts";
import { PasswordForm } from "./password-form.tsx";
import { EntryPage } from "./sign-in.tsx";

const home = `${basePath}/console/`;

export function Accept() {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  // The history should not keep the token.
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  const t = texts.accept;
  return (
    <EntryPage title={t.title}>
      {token === "" ? (
        <>
          <Alert color="red" variant="light">
            {t.noToken}
          </Alert>
          <Anchor href={home} mt="md" display="block">
            {texts.signIn.submit}
          </Anchor>
        </>
      ) : (
        <>
          <Text mb="md">{t.explanation}</Text>
          <PasswordForm
            path="/op/operators/accept"
            known={{ token }}
            label={t.submit}
            onDone={() => location.replace(home)}
          />
        </>
      )}
    </EntryPage>
  );
}

/** The page of an invitation: it sets the first password. The token is in the fragment, which browsers don't send. */
import { Alert, Anchor, Text } from "@mantine/core";
import { useCallback, useEffect, useState } from "react";
import { Rejection, send } from "../api/client.ts";
import type { DataOf } from "../api/declarations.ts";
import { basePath } from "../api/place.ts";
import { FailureAlert } from "../feedback/failure.tsx";
import { Loading } from "../feedback/loading.tsx";
import { texts } from "../texts/en.ts";
import { PasswordForm } from "./password-form.tsx";
import { EntryPage } from "./sign-in.tsx";

const home = `${basePath}/console/`;

type Invited = DataOf<"/op/operators/get-invitation">;

export function Accept() {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  // The history should not keep the token.
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  const t = texts.accept;
  if (token !== "") return <Invitation token={token} />;
  return (
    <EntryPage title={t.title}>
      <Alert color="red" variant="light">
        {t.noToken}
      </Alert>
      <SignInLink />
    </EntryPage>
  );
}

function Invitation({ token }: { readonly token: string }) {
  const [found, setFound] = useState<Invited | Error>();
  const load = useCallback(() => {
    const path = "/op/operators/get-invitation";
    send<{ data: Invited }>(path, { token }).then(({ data }) => setFound(data), setFound);
  }, [token]);
  useEffect(load, [load]);
  const t = texts.accept;
  if (found === undefined) return <Loading />;
  if (found instanceof Error)
    return (
      <EntryPage title={t.title}>
        <FailureAlert error={found} {...(!(found instanceof Rejection) && { onRetry: load })} />
        <SignInLink />
      </EntryPage>
    );
  return (
    <EntryPage title={t.titleFor(found.name)}>
      <Text mb="md">{t.explanation}</Text>
      <PasswordForm
        path="/op/operators/accept"
        known={{ token }}
        label={t.submit}
        onDone={() => location.replace(home)}
      />
    </EntryPage>
  );
}

function SignInLink() {
  return (
    <Anchor href={home} mt="md" display="block">
      {texts.signIn.submit}
    </Anchor>
  );
}

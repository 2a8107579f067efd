/** The page of an invitation: it sets the first password. The token is in the fragment, which browsers don't send. */
import { Alert, Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type DataOf, Rejection, send } from "../api/index.ts";
import { basePath } from "../api/place.ts";
import { FailureAlert, Loading } from "../feedback/index.ts";
import { texts } from "../texts/en/texts.ts";
import { EntryPage, PasswordForm } from "./password-form.tsx";

const home = `${basePath}/console/`;
const path = "/op/operators/get-invitation";

export function Accept() {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  // The history should not keep the token.
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: [path, token],
    queryFn: () => send<{ data: DataOf<typeof path> }>(path, { token }),
    ...{ enabled: token !== "", retry: false, staleTime: "static" },
  });
  const t = texts.accept;
  const retry = error instanceof Rejection ? {} : { onRetry: () => void refetch() };
  if (isLoading) return <Loading />;
  const done = () => location.replace(home);
  return (
    <EntryPage title={data ? t.titleFor(data.data.name) : t.title}>
      {token === "" && <Alert color="red">{t.noToken}</Alert>}
      {error && <FailureAlert error={error} {...retry} />}
      <Text mb="md">{data ? t.explanation : <Anchor href={home}>{texts.signIn.submit}</Anchor>}</Text>
      {data && <PasswordForm path="/op/operators/accept" known={{ token }} label={t.submit} onDone={done} />}
    </EntryPage>
  );
}

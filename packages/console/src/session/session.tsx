/** Who is signed in, and the dialog that asks for the password when the service requires it. */
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import type { Path, SignInReason } from "../api/index.ts";
import { outlineOf, queryClient, Rejection, roles, send, useAll, whenSignInIsNeeded } from "../api/index.ts";
import { FailureAlert, Loading, lazyPart, notifyFailure } from "../feedback/index.ts";
import { showLanguage, texts } from "../texts/index.ts";
import type { SessionData } from "./password-form.tsx";

const SignIn = lazyPart(async () => (await import("./password-form.tsx")).SignIn, <Loading />);
export const PasswordDialog = lazyPart(async () => (await import("./password-form.tsx")).PasswordDialog);

type Operator = SessionData["operator"];

/** `may`: whether the role may use an operation. */
type Session = Readonly<{ operator: Operator; may: (path: Path) => boolean; signOut: () => Promise<void> }>;

const SessionContext = createContext<Session | undefined>(undefined);

export const useSession = () => useContext(SessionContext) as Session;

/** A session that has ended. */
const isEnded = (error: unknown) => error instanceof Rejection && error.status === 401;

/** Shows its children to a person who is signed in, and the sign-in page to others. The address stays. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<SessionData | "none" | "loading" | Error>("loading");
  const load = () => {
    send<{ data: SessionData }>("/op/session/get", {}).then(
      ({ data }) => setState(data),
      (error: Error) => setState(isEnded(error) ? "none" : error),
    );
  };
  useEffect(load, []);
  // Every page needs them. Read at the same time, they cost no further round trip. A person who has never been here has no session.
  useAll("/op/businesses/list", {}, { enabled: state === "loading" && localStorage.length > 0 });
  const language = state === "none" ? null : (state as Partial<SessionData>).language;
  useEffect(() => showLanguage(language), [language]);
  if (state === "loading") return <Loading />;
  if (state instanceof Error) return <FailureAlert error={state} onRetry={load} />;
  if (state === "none") return <SignIn onSignedIn={setState} />;
  const leave = () => {
    queryClient.clear();
    setState("none");
  };
  return <SignedIn operator={state.operator} onLeave={leave} {...{ children }} />;
}

type Question = Readonly<{ reason: SignInReason; answer: (signedIn: boolean) => void }>;
type SignedInProps = Readonly<{ operator: Operator; onLeave: () => void; children: ReactNode }>;

function SignedIn({ operator, onLeave, children }: SignedInProps) {
  const [question, setQuestion] = useState<Question>();
  useEffect(() => {
    // Requests that fail together ask once.
    let asking: Promise<boolean> | undefined;
    whenSignInIsNeeded((reason) => {
      asking ??= new Promise<boolean>((resolve) => setQuestion({ reason, answer: resolve })).finally(() => {
        asking = undefined;
        setQuestion(undefined);
      });
      return asking;
    });
  }, []);
  const may = (path: Path) => {
    const { role } = outlineOf(path);
    return role === undefined || roles.indexOf(operator.role) >= roles.indexOf(role);
  };
  const signOut = () =>
    send("/op/session/delete", {}).then(onLeave, (error: Error) =>
      // A session that has ended needs no end.
      isEnded(error) ? onLeave() : notifyFailure(error),
    );
  const signedIn = (data: SessionData) => {
    // What is on the page, and what waits to be sent, is of another person.
    if (data.operator.operator_id !== operator.operator_id) return location.reload();
    question?.answer(true);
  };
  const cancel = () => {
    question?.answer(false);
    if (question?.reason === "expired") onLeave();
  };
  const { submit, ...words } = texts.passwordDialog;
  const t = question && words[question.reason];
  return (
    <SessionContext.Provider value={{ operator, may, signOut }}>
      {children}
      {t && (
        <PasswordDialog
          {...{ ...t, path: "/op/session/create", known: { name: operator.name }, label: submit }}
          {...{ zIndex: 400, closeLabel: t.cancel, asks: question?.reason === "expired" }}
          onDone={signedIn}
          onClose={cancel}
        />
      )}
    </SessionContext.Provider>
  );
}

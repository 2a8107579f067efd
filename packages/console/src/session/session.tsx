/** Who is signed in, and the dialog that asks for the password when the service requires it. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { Rejection, type SignInReason, send, whenSignInIsNeeded } from "../api/client.ts";
import type { Path } from "../api/declarations.ts";
import { queryClient } from "../api/queries.ts";
import { FailureAlert } from "../feedback/failure.tsx";
import { Loading } from "../feedback/loading.tsx";
import { mayUse, type Operator, readSession, type SessionData } from "./operator.ts";
import { PasswordDialog } from "./password-dialog.tsx";
import { SignIn } from "./sign-in.tsx";

interface Session {
  readonly operator: Operator | null;
  /** Whether the role may use an operation. */
  readonly may: (path: Path) => boolean;
  readonly signOut: () => Promise<void>;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("There is no session.");
  return session;
}

interface Question {
  readonly reason: SignInReason;
  readonly answer: (signedIn: boolean) => void;
}

/** Shows its children to a person who is signed in, and the sign-in page to others. The address stays. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState<SessionData | "none" | "loading" | Error>("loading");
  const [question, setQuestion] = useState<Question>();
  const load = () => {
    readSession().then(setSession, (error: unknown) => {
      const isRejected = error instanceof Rejection && error.status === 401;
      setSession(isRejected ? "none" : (error as Error));
    });
  };
  useEffect(load, []);
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
  const operator = typeof session === "object" && !(session instanceof Error) ? session.operator : null;
  const value = useMemo(
    (): Session => ({
      operator,
      may: (path) => mayUse(operator, path),
      async signOut() {
        await send("/op/session/delete", {});
        queryClient.clear();
        setSession("none");
      },
    }),
    [operator],
  );
  if (session === "loading") return <Loading />;
  if (session instanceof Error) return <FailureAlert error={session} onRetry={load} />;
  if (session === "none") return <SignIn onSignedIn={setSession} />;
  const leave = () => {
    question?.answer(false);
    queryClient.clear();
    setSession("none");
  };
  const signedIn = (data: SessionData) => {
    // The page may hold what another person must not see.
    if (data.operator?.operator_id !== operator?.operator_id) location.reload();
    setSession(data);
    question?.answer(true);
  };
  return (
    <SessionContext.Provider value={value}>
      {children}
      {question && (
        <PasswordDialog
          reason={question.reason}
          name={operator?.name ?? ""}
          onSignedIn={signedIn}
          onCancel={() => (question.reason === "expired" ? leave() : question.answer(false))}
        />
      )}
    </SessionContext.Provider>
  );
}

/**
 * A dialog over the page. A click beside it does not close it. It asks before it drops what a person has written, also while nobody
 * knows whether it was saved.
 */
import { Alert, Button, Group, Modal, type ModalRootProps } from "@mantine/core";
import { useFocusReturn } from "@mantine/hooks";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { texts } from "../texts/en/texts.ts";
import { clearNotices, PlainButton } from "./loading.tsx";

/** `onClose`: without it, only a button inside closes the dialog. `asks`: whether it always asks, because the page behind it may hold what a person has written. */
export type DialogProps = Pick<ModalRootProps, "size" | "zIndex"> &
  Readonly<Record<"title" | "children", ReactNode>> &
  Readonly<{ onClose?: () => void; closeLabel?: string; asks?: boolean }>;

/** `close` asks before it closes the dialog. `note` tells whether something would be lost then. */
type InDialog = Readonly<{ close: () => void; note: (isWritten: boolean) => void }>;
const DialogContext = createContext<InDialog>({ close: () => undefined, note: () => undefined });

/** What a form tells the dialog around it. */
export const useDialog = () => useContext(DialogContext);

export function Dialog({ title, onClose, closeLabel = texts.close, asks, children, ...others }: DialogProps) {
  const isWritten = useRef(asks);
  const [isAsking, setAsking] = useState(false);
  useFocusReturn({ opened: isAsking });
  // Mantine gives the focus back only for a dialog that stays mounted.
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    clearNotices();
    return () => opener?.focus();
  }, []);
  const ask = () => setAsking(true);
  const close = () => (isWritten.current ? ask() : onClose?.());
  const note = (next: boolean) => {
    isWritten.current = next || asks;
  };
  const [context] = useState({ close: ask, note });
  return (
    <Modal
      {...{ opened: true, title, onClose: close, closeOnClickOutside: false, ...others }}
      {...{ closeOnEscape: onClose !== undefined, withCloseButton: onClose !== undefined }}
      closeButtonProps={{ "aria-label": closeLabel }}
    >
      <DialogContext value={context}>{children}</DialogContext>
      {isAsking && (
        <Alert color="orange" title={texts.leave.title}>
          <Group>
            <PlainButton
              {...{ autoFocus: true, onClick: () => setAsking(false), children: texts.leave.stay }}
            />
            <Button {...{ color: "red", onClick: onClose, children: texts.leave.leave }} />
          </Group>
        </Alert>
      )}
    </Modal>
  );
}

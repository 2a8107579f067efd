/** A dialog over the page. A click beside it does not close it, because it may hold what a person has written. */
import { Modal, type ModalRootProps } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { texts } from "../texts/en.ts";

interface DialogProps extends Pick<ModalRootProps, "size" | "zIndex"> {
  readonly title: ReactNode;
  /** Without it, only a button inside closes the dialog. */
  readonly onClose?: () => void;
  readonly closeLabel?: string;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, closeLabel = texts.close, children, ...others }: DialogProps) {
  // Mantine gives the focus back only for a dialog that stays mounted.
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    return () => opener?.focus();
  }, []);
  const closing = { closeOnEscape: onClose !== undefined, closeOnClickOutside: false };
  return (
    <Modal.Root opened onClose={() => onClose?.()} {...closing} {...others}>
      <Modal.Overlay />
      <Modal.Content>
        {/* A header element would be a second banner of the page. */}
        <Modal.Header {...{ component: "div" }}>
          <Modal.Title fw={600}>{title}</Modal.Title>
          {onClose && <Modal.CloseButton aria-label={closeLabel} />}
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

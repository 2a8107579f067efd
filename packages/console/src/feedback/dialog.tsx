/** A dialog over the page. A click beside it does not close it, because it may hold what a person has written. */
import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly size?: string;
  /** Above other dialogs. */
  readonly zIndex?: number;
  readonly closeLabel?: string;
  readonly children: ReactNode;
}

export function Dialog({
  title,
  onClose,
  size = "md",
  zIndex = 200,
  closeLabel = texts.close,
  children,
}: DialogProps) {
  return (
    <Modal.Root opened onClose={onClose} size={size} zIndex={zIndex} closeOnClickOutside={false}>
      <Modal.Overlay />
      <Modal.Content>
        {/* A header element would be a second banner of the page. */}
        <Modal.Header {...{ component: "div" }}>
          <Modal.Title fw={600}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={closeLabel} />
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

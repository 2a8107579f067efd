/** Chooses a file, whose content is the value of a field. */
import { FileInput, type FileInputProps } from "@mantine/core";
import { useRef, useState } from "react";
import { contentOf, squareOf } from "../files/contents.ts";
import { texts } from "../texts/en/texts.ts";

type Own = Readonly<{ kinds: string; onRead: (content: string) => void }>;

/** @param props.kinds as the attribute "accept" of HTML has them. A picture becomes a small square. */
export function FileChoice({ kinds, onRead, error, ...props }: Omit<FileInputProps, "onChange"> & Own) {
  const chosen = useRef<File>(null);
  const [isUnreadable, setUnreadable] = useState(false);
  const read = kinds === "image/*" ? squareOf : contentOf;
  const choose = async (file: File | null) => {
    chosen.current = file;
    setUnreadable(false);
    onRead("");
    const content = file && (await read(file).catch(() => null));
    // Another file may have been chosen meanwhile.
    if (!file || chosen.current !== file) return;
    return content === null ? setUnreadable(true) : onRead(content);
  };
  const shown = { accept: kinds, placeholder: texts.forms.chooseFile, onChange: choose };
  return <FileInput {...{ ...props, ...shown }} error={isUnreadable ? texts.forms.noPicture : error} />;
}

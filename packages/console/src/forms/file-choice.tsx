/** Chooses a file, whose content is the value of a field. */
import { FileInput, type FileInputProps } from "@mantine/core";
import { base64Of, contentOf, squareOf } from "../files/contents.ts";
import { texts } from "../texts/en/texts.ts";

type Own = Readonly<{ kinds: string; onRead: (content: string) => void }>;

/** @param props.kinds as the attribute "accept" of HTML has them. A picture becomes a small square. */
export function FileChoice({ kinds, onRead, ...props }: Omit<FileInputProps, "onChange"> & Own) {
  const read = kinds === "image/*" ? squareOf : contentOf;
  // The service says what is wrong with a file that is no picture.
  const choose = (file: File | null) =>
    file &&
    read(file)
      .catch(() => base64Of(file))
      .then(onRead);
  return (
    <FileInput {...{ ...props, accept: kinds, placeholder: texts.forms.chooseFile, onChange: choose }} />
  );
}

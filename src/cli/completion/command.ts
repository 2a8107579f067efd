/** `loyalty completion`: what makes the tab key work. */
import { Argument, Command } from "commander";
import { exampleText } from "../examples.ts";
import { bashScript } from "./bash.ts";
import { type CommandTree, treeOf } from "./command-tree.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const shells: Readonly<Record<string, (tree: CommandTree) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const installing = `
Install it once:
  bash   loyalty completion bash > ~/.local/share/bash-completion/completions/loyalty
  zsh    loyalty completion zsh > "\${fpath[1]}/_loyalty"
  fish   loyalty completion fish > ~/.config/fish/completions/loyalty.fish`;

/** @param program every command, this one included */
export function completionCommand(program: Command): Command {
  return new Command("completion")
    .summary("Print a completion script for a shell")
    .description("Prints what makes a shell complete commands, options and their values.")
    .addArgument(new Argument("<shell>", "Which shell.").choices(Object.keys(shells)))
    .addHelpText("after", `${exampleText(["source <(loyalty completion bash)"])}\n${installing}`)
    .action((shell: string) => {
      process.stdout.write(shells[shell]?.(treeOf(program)) ?? "");
    });
}

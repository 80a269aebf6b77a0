// A Discord bot that plays Connect Four: /connect-four shows the board with a button for each column.
// DISCORD_TOKEN=… KINAROW_URL=http://127.0.0.1:8000 node bot.js
//
// The bot keeps nothing: the moves of the game and the level are in the id of each button.

import { pathToFileURL } from "node:url";

import { ActionRowBuilder, ButtonBuilder, ButtonStyle, Client, Events, MessageFlags, SlashCommandBuilder } from "discord.js";

import { Kinarow } from "../javascript/kinarow.js";

const ROWS = 6;
const COLUMNS = [1, 2, 3, 4, 5, 6, 7];
const DISCS = { X: "🔴", O: "🟡", ".": "⚪" };

export const command = new SlashCommandBuilder()
  .setName("connect-four")
  .setDescription("Play Connect Four")
  .addIntegerOption((option) =>
    option.setName("level").setDescription("Playing strength, 10 is full").setMinValue(1).setMaxValue(10),
  );

/** The message of a game: the board, what to say about it, and the columns that may be clicked. */
function message(board, moves, level, words, over = false) {
  const button = (column) =>
    new ButtonBuilder()
      .setCustomId(`${level}:${moves}:${column}`)
      .setLabel(String(column))
      .setStyle(ButtonStyle.Primary)
      .setDisabled(over || board[0][column - 1] !== ".");
  const row = (columns) => new ActionRowBuilder().addComponents(columns.map(button));
  const discs = board.map((cells) => [...cells].map((cell) => DISCS[cell]).join("")).join("\n");
  // Discord shows five buttons in a row.
  return { content: `${discs}\n${words}`, components: [row(COLUMNS.slice(0, 4)), row(COLUMNS.slice(4))] };
}

/** The game after a click: the person's move, the answer of the service, and how things stand. */
async function turn(kinarow, id) {
  const [level, before, column] = id.split(":");
  const moves = before + column;
  const answer = await kinarow.move({ game: "connect-four", moves, level: Number(level) });
  const end = answer.move ? answer.after : answer;
  const over = end.state !== "ongoing";
  const words = over ? `${DISCS[end.winner] ?? "Nobody"} has won.` : `Your turn, ${DISCS.X}.`;
  return message(answer.board, answer.move ? `${moves}${answer.move.column + 1}` : moves, level, words, over);
}

/** Let a client of discord.js play with the moves of a service. */
export function connect(client, kinarow) {
  client.once(Events.ClientReady, () => client.application.commands.set([command]));
  client.on(Events.InteractionCreate, async (interaction) => {
    try {
      if (interaction.isChatInputCommand() && interaction.commandName === command.name) {
        const level = interaction.options.getInteger("level") ?? 6;
        const empty = Array(ROWS).fill(".".repeat(COLUMNS.length));
        await interaction.reply(message(empty, "", level, `Your turn, ${DISCS.X}.`));
      } else if (interaction.isButton()) {
        await interaction.deferUpdate(); // Discord waits three seconds, a busy service may take longer
        await interaction.editReply(await turn(kinarow, interaction.customId));
      }
    } catch (error) {
      console.error(error);
      await interaction.followUp({ content: error.message, flags: MessageFlags.Ephemeral }).catch(console.error);
    }
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const client = new Client({ intents: [] });
  connect(client, new Kinarow(process.env.KINAROW_URL ?? "http://127.0.0.1:8000"));
  await client.login(process.env.DISCORD_TOKEN);
}

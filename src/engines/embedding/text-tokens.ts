import { readFile } from 'node:fs/promises'
import type { Tokenizer } from '@huggingface/tokenizers'
import { MediaError } from '../../contract/errors.ts'

/** Characters that are read for each token, of which most have less than 10. */
const charactersPerToken = 64

/** Reads a JSON file of a model. */
export async function readModelJson(path: string): Promise<object> {
  return JSON.parse(await readFile(path, 'utf8')) as object
}

/** Opens a tokenizer from its definition and configuration (`tokenizer.json`, `tokenizer_config.json`). */
export async function createTokenizer(definition: object, config: object): Promise<Tokenizer> {
  const { Tokenizer: TokenizerOfFile } = await import('@huggingface/tokenizers')
  return new TokenizerOfFile(definition, config)
}

/**
 * Returns a function that converts a text to token ids: those that the template of the tokenizer adds before and after, and
 * between them those of the text. Of a longer text, the first tokens are used. limit: most ids.
 */
export function boundedTokens(tokenizer: Tokenizer, limit: number): (text: string) => number[] {
  const plainIds = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids
  const { before, after } = templateTokens(tokenizer)
  const room = limit - before.length - after.length
  return (text) => {
    // Half of a surrogate pair at the cut has no token.
    const read = text.slice(0, charactersPerToken * limit).toWellFormed()
    return [...before, ...plainIds(read).slice(0, room), ...after]
  }
}

/** The tokens that the template of a tokenizer adds before and after those of a text. */
function templateTokens(tokenizer: Tokenizer) {
  const [plain, whole] = [false, true].map((add) => tokenizer.encode('a', { add_special_tokens: add }).ids)
  const [first] = plain ?? []
  const start = whole?.indexOf(first ?? -1) ?? -1
  if (!plain || !whole || start < 0) throw new Error('the template does not contain the text')
  return { before: whole.slice(0, start), after: whole.slice(start + plain.length) }
}

/** Runs work that opens the tokenizer of a model. Its errors become 6401. title: of the model. */
export async function withTokenizerErrors<T>(title: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new MediaError(6401, `the tokenizer of ${title} cannot be read`, {
      cause: error,
      retryable: false,
      hint: 'Run `reelwright models verify`.',
    })
  }
}

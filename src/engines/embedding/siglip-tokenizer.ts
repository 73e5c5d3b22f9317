import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tokenizer } from '@huggingface/tokenizers'
import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { siglipTokenizerFiles } from '../packs/embedding-packs.ts'

/** Tokens of a text, as the model was trained: the text tower reads the last one, also where it is padding. */
export const textTokens = 64

/** Characters of a text that are read: 64 for each token, of which most have less than 10. */
const maxCharacters = 64 * textTokens

/** Turns texts into tokens. */
export interface SiglipTokenizer {
  /** Returns 64 token ids: of the text in lower case, truncated, with its end token, then padding. */
  encode(text: string): BigInt64Array
}

const tokenizerConfig = z.looseObject({
  pad_token: z.union([z.string(), z.object({ content: z.string() }).transform(({ content }) => content)]),
})

/**
 * Opens the tokenizer in the folder of a model. The end token is that of the file's own template, and the padding that
 * of its configuration: another one turns the vector. Throws 6401 if the files are damaged.
 */
export async function openSiglipTokenizer(folder: string): Promise<SiglipTokenizer> {
  const read = async (file: string) => JSON.parse(await readFile(join(folder, file), 'utf8')) as object
  try {
    const definition = await read(siglipTokenizerFiles.tokenizer)
    const config = tokenizerConfig.parse(await read(siglipTokenizerFiles.config))
    const { Tokenizer: TokenizerOfFile } = await import('@huggingface/tokenizers')
    const tokenizer = new TokenizerOfFile(definition, config)
    const padding = tokenizer.token_to_id(config.pad_token)
    if (padding === undefined) throw new Error(`the token ${config.pad_token} has no id`)
    return siglipTokenizer(tokenizer, padding)
  } catch (error) {
    throw new MediaError(6401, 'the tokenizer of SigLIP 2 cannot be read', {
      cause: error,
      retryable: false,
      hint: 'Run `reelwright models verify`.',
    })
  }
}

function siglipTokenizer(tokenizer: Tokenizer, padding: number): SiglipTokenizer {
  const plainIds = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids
  const { before, after } = templateTokens(tokenizer)
  const room = textTokens - before.length - after.length
  return {
    encode(text) {
      // Half of a surrogate pair at the cut has no token.
      const read = text.toLowerCase().slice(0, maxCharacters).toWellFormed()
      const ids = [...before, ...plainIds(read).slice(0, room), ...after]
      return BigInt64Array.from({ length: textTokens }, (_, at) => BigInt(ids[at] ?? padding))
    },
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

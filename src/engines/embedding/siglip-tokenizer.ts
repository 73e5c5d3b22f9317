import { join } from 'node:path'
import * as z from 'zod'
import { siglipTokenizerFiles } from '../packs/embedding-packs.ts'
import { boundedTokens, createTokenizer, readModelJson, withTokenizerErrors } from './text-tokens.ts'

/** Tokens of a text, as the model was trained: the text tower reads the last one, also where it is padding. */
export const textTokens = 64

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
  return await withTokenizerErrors('SigLIP 2', async () => {
    const definition = await readModelJson(join(folder, siglipTokenizerFiles.tokenizer))
    const config = tokenizerConfig.parse(await readModelJson(join(folder, siglipTokenizerFiles.config)))
    const tokenizer = await createTokenizer(definition, config)
    const padding = tokenizer.token_to_id(config.pad_token)
    if (padding === undefined) throw new Error(`the token ${config.pad_token} has no id`)
    const idsOf = boundedTokens(tokenizer, textTokens)
    return {
      encode(text) {
        const ids = idsOf(text.toLowerCase())
        return BigInt64Array.from({ length: textTokens }, (_, at) => BigInt(ids[at] ?? padding))
      },
    }
  })
}

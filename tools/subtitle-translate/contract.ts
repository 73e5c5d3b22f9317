import * as z from 'zod'
import { agentField, type AgentRequest } from '../../src/contract/agent-form.ts'
import { fileRef } from '../../src/contract/file.ts'
import { id } from '../../src/contract/fields.ts'
import { subtitleLanguages } from '../../src/contract/languages.ts'
import { operation } from '../../src/contract/operation.ts'
import {
  englishColourNames,
  letterColourNames,
  letterColoursByName,
  subtitleStyleNames,
} from '../../src/contract/subtitle-styles.ts'

const languageField = agentField(z.enum(subtitleLanguages), { kind: 'language' })

const fields = z.object({
  file_id: fileRef({
    kinds: ['text'],
    fix: 'Supported: .srt .ass',
    describe: '.srt or .ass',
  }),
  language: languageField.describe('Language of the file'),
  translate_language: languageField.describe('Language to translate into'),
  output_format: z.enum(['ass', 'srt']).optional().describe('Default: that of the file'),
  line_mode: z
    .enum(['resegment', 'keep'])
    .default('resegment')
    .describe('resegment: join and split entries by sentences; keep: same number and times'),
  // Presence of these fields matters (contract 3, 4.10), so that their defaults are applied once the format is known.
  lingual_type: z
    .enum(['monolingual', 'bilingual'])
    .optional()
    .describe('ass only; bilingual: with the original'),
  subtitle_type: z.enum(subtitleStyleNames).optional().describe('ass only'),
  subtitle_color: agentField(z.enum(letterColourNames), {
    names: letterColoursByName,
    published: englishColourNames,
  })
    .optional()
    .describe('ass only'),
  video_size: z
    .array(z.int().min(16).max(16_384))
    .length(2)
    .optional()
    .describe('[width, height] to wrap lines for; default: that of the .ass, or [1920, 1080]'),
  strip_punctuation: z
    .boolean()
    .default(true)
    .describe('Commas and periods become spaces (usual in Chinese)'),
})

/** Returns one code per language and script; zh-CN is written in simplified characters. */
const scriptCode = (language: string) => (language === 'zh-CN' ? 'zh-CHS' : language)

/** Fields of ass output only: srt is rejected if one is present (contract 3, 4.10). */
export const assOnlyFields = ['lingual_type', 'subtitle_type', 'subtitle_color'] as const

const input = fields.superRefine((given, context) => {
  const refuse = (path: string, { message, fix }: { readonly message: string; readonly fix: string }) =>
    context.addIssue({ code: 'custom', path: [path], message, params: { fix } })
  const { language, translate_language, output_format } = given
  for (const field of assOnlyFields) {
    if (output_format !== 'srt' || given[field] === undefined) continue
    refuse(field, {
      message: 'only with ass output, and this is srt',
      fix: 'Give output_format ass, or leave it out.',
    })
  }
  if (scriptCode(language) !== scriptCode(translate_language)) return
  refuse('translate_language', {
    message: `is the language of the subtitles: ${language}`,
    fix: 'Name another language; zh-CHS and zh-CHT are two scripts of Chinese, zh-CN is simplified.',
  })
})

/** Chooses ass output for a request with a style, which srt cannot have, if it names no format. */
function withAssOutput(args: Readonly<Record<string, unknown>>): AgentRequest {
  const styled = assOnlyFields.filter((name) => args[name] !== undefined)
  const isAss = typeof args['file_id'] === 'string' && /\.ass$/i.test(args['file_id'])
  if (styled.length === 0 || args['output_format'] !== undefined) return { request: { ...args }, assumed: [] }
  return {
    request: { ...args, output_format: 'ass' },
    assumed: isAss ? [] : [`The output is .ass: .srt has no ${styled.join(', ')}.`],
  }
}

const output = z.object({
  subtitle_file_id: id.describe('The translated subtitles'),
  subtitle_file_download_url: z.string(),
  output_format: z.enum(['ass', 'srt']),
  line_mode: z.enum(['resegment', 'keep']),
  stats: z.object({
    input_lines: z.int().describe('Entries with text in the file'),
    output_lines: z.int().describe('Entries in the result'),
    skipped_total: z.int().describe('Omitted entries: without duration, malformed or empty'),
  }),
  degraded: z.object({
    summary: z.boolean().describe('No summary could be made: names may differ from line to line'),
    width_budget: z.boolean().describe('No font to measure: lines are wrapped by estimated widths'),
    translation: z.boolean().describe('Some lines had to be translated again in smaller parts'),
  }),
  translator: z.string().describe('The language model'),
  untranslated_lines: z
    .int()
    .describe('Lines that are not translated, because the model returned no usable translation'),
  notes: z.array(z.string()).optional().describe('Notes about the result'),
})

export const subtitleTranslate = operation({
  name: 'subtitle_translate',
  title: 'Translate subtitles',
  description:
    'Translates subtitles with the configured language model, or asks you to translate their lines. ass output may have a style and both languages.',
  details:
    'The file has one language and one layer. Names are translated consistently; tags and drawings are kept. resegment ' +
    'joins entries of one sentence (7 s, two lines at most) and splits long ones. lingual_type is monolingual by ' +
    'default, and subtitle_color that of the style. At most 2000 entries, 80,000 characters, 8 MB.',
  toolset: 'speech',
  input,
  output,
  price: { unit: 'thousand letters', credits: 1, of: 'subtitle text' },
  errorAliases: { 6004: 5202, 6202: 6201 },
  nextStep: ({ untranslated_lines }) =>
    (untranslated_lines > 0
      ? 'Some lines are not translated: see notes, and correct them in the file. '
      : '') + 'Compare some lines of the file with the original before you use it.',
  agentForm: { input: fields, own: [], toRequest: withAssOutput },
  examples: [
    {
      title: 'English subtitles into Chinese, times unchanged',
      input: { file_id: 'talk.srt', language: 'en-US', translate_language: 'zh-CN', line_mode: 'keep' },
    },
    {
      title: 'Both languages over a phone video',
      input: {
        ...{ file_id: 'vlog.srt', language: 'zh-CN', translate_language: 'en-US', output_format: 'ass' },
        ...{ lingual_type: 'bilingual', subtitle_type: 'outline', video_size: [1080, 1920] },
      },
    },
  ],
})

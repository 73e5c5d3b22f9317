import { describe, expect, it } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import { toListedError } from '../../src/contract/operation.ts'
import { normalizeArguments } from '../../src/mcp/normalize-arguments.ts'
import { publishInputSchema } from '../../src/mcp/tool.ts'
import { validateBody } from '../../src/tasks/check-request.ts'
import { videoTranslateDub } from '../../tools/video-translate-dub/contract.ts'
import { fieldsOf, parameterLaws } from '../contract/laws.ts'
import { videoTranslateDub as table } from '../contract/video-translate-dub.ts'

const smallest = { file_id: '1', source_lang: 'zh-CN', target_lang: 'en-US', speaker: 'clone' }

/** Error of a request with changes; undefined if it is accepted. */
function errorOf(change: Readonly<Record<string, unknown>>): MediaError | undefined {
  try {
    validateBody(videoTranslateDub, { ...smallest, ...change })
    return undefined
  } catch (error) {
    const listed = toListedError(videoTranslateDub, error)
    if (listed instanceof MediaError) return listed
    throw listed
  }
}

describe('the tables of document 3, 4.6', () => {
  it('list the parameters', () => {
    const written = Object.fromEntries(
      table.parameters.map(({ at, type, required }) => [at, required ? type : `${type}, optional`]),
    )
    expect(fieldsOf(videoTranslateDub.input, '', 'input')).toEqual(written)
  })
  for (const row of table.parameters) parameterLaws(videoTranslateDub, table, row)
  it('list the result', () => {
    expect(fieldsOf(videoTranslateDub.output)).toEqual({ ...table.result, ...table.resultAdditions })
    for (const [at, fields] of Object.entries(table.resultParts))
      expect(fieldsOf(videoTranslateDub.output, at)).toEqual(fields)
  })
})

describe('languages', () => {
  it.each([
    [
      { source_lang: 'es-ES' },
      'source_lang: "es-ES" is not a supported language',
      /^Use zh-CN, .* or ar-SA\.$/,
    ],
    [
      { target_lang: 'fr-FR' },
      'target_lang: a cloned voice does not support "fr-FR"',
      /^Use zh-CN, zh-HK, en-US, ja-JP, ko-KR, zh-CHS or zh-CHT\. Or use as speaker a voice of media:\/\/voices /,
    ],
    [{ ref_lang: 'fr-FR' }, 'ref_lang: "fr-FR" is not a supported language', /^Use zh-CN/],
  ])('%j returns 6017 with those that are supported', (change, message, hint) => {
    expect(errorOf(change)).toMatchObject({
      code: 6017,
      message,
      hint: expect.stringMatching(hint) as string,
    })
  })

  it('of a voice are checked with the catalogue, not here', () => {
    expect(errorOf({ speaker: 'mei', target_lang: 'fr-FR' })).toBeUndefined()
  })

  it('may be equal', () => {
    expect(errorOf({ target_lang: 'zh-CN' })).toBeUndefined()
  })

  it.each([
    [{ source_lang: 'fr-FR' }, 'ref_file_id'],
    [{ source_lang: 'fr-FR', ref_lang: 'en-US' }, 'ref_file_id'],
    [{ source_lang: 'fr-FR', ref_file_id: '1' }, 'ref_lang'],
  ])('a voice is not cloned from French: %j', (change, field) => {
    expect(errorOf(change)).toMatchObject({
      code: 6016,
      message: `${field}: required, because a voice cannot be cloned from speech in fr-FR`,
      hint: expect.stringContaining('Give ref_file_id with ref_lang') as string,
    })
    expect(errorOf({ ...change, ref_file_id: '1', ref_lang: 'en-US' })).toBeUndefined()
  })

  it('that agents name are read as codes', () => {
    const named = { ...smallest, source_lang: 'french', target_lang: 'English', subtitle_type: 'Outline' }
    expect(normalizeArguments(videoTranslateDub.input, named).args).toMatchObject({
      ...{ source_lang: 'fr-FR', target_lang: 'en-US', subtitle_type: 'outline' },
    })
    const formats = { ...smallest, project_formats: ['premiere'] }
    expect(normalizeArguments(videoTranslateDub.input, formats).args).toMatchObject({
      project_formats: ['xml'],
    })
  })
})

it('a missing field comes before a language that is not supported', () => {
  expect(errorOf({ source_lang: 'es-ES', speaker: undefined })).toMatchObject({ code: 6013 })
})

it('an unknown style falls back to default, and a band out of range does not', () => {
  expect(validateBody(videoTranslateDub, { ...smallest, subtitle_type: 'neon' })).toMatchObject({
    subtitle_type: 'default',
  })
  expect(errorOf({ speed_band: [1.2, 1.1] })).toMatchObject({
    code: 6016,
    message: 'speed_band: min is above max',
  })
  expect(errorOf({ speed_band: [0.9] })?.message).not.toContain('min is above max')
})

it('fields that are not listed are ignored', () => {
  expect(validateBody(videoTranslateDub, { ...smallest, lip_sync: true })).not.toHaveProperty('lip_sync')
})

it('publishes the types of the project fields', () => {
  expect(publishInputSchema(videoTranslateDub.input)).toMatchObject({
    properties: {
      project_formats: { type: 'array', default: ['gtrk'] },
      source_path: { type: 'string' },
      local_output_dir: { type: 'string' },
      struct_meta: { type: 'object' },
      subtitle_type: { type: 'string', default: 'default' },
    },
  })
})

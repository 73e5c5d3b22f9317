import { MediaError } from '../contract/errors.ts'
import type { OperationModule } from '../contract/operation.ts'
import type { Answerer } from '../contract/questions.ts'
import type { Requirement } from '../contract/requirement.ts'
import type { FirstDownload } from './packs/resolve.ts'

type Kind = Requirement['kind']

/** How a request may be fulfilled. */
export interface RequirementOptions {
  /** Who answers its questions to a language model: the agent that creates the task, or a configured model. */
  readonly answersBy?: Answerer
}

/** Checks one requirement. Returns the name of the engine that fulfils it, where there are several. Throws 6401. */
type Check<K extends Kind> = (
  requirement: Extract<Requirement, { kind: K }>,
  options: RequirementOptions,
) => Promise<string | void>

/** Each check loads only the module that finds its engine. */
const checks: { readonly [K in Kind]: Check<K> } = {
  async ffmpeg() {
    await (await import('./ffmpeg/locate.ts')).locateFfmpeg()
  },
  async 'ffmpeg-encoders'({ names, because, instead }) {
    await (await import('./ffmpeg/locate.ts')).requireEncoders(names, { because, instead })
  },
  async 'ffmpeg-filters'({ names, because, instead }) {
    await (await import('./ffmpeg/locate.ts')).requireFilters(names, { because, instead })
  },
  async 'tone-mapping'({ file }) {
    const [{ requireFilters }, { toneMapFilters }] = await Promise.all([
      import('./ffmpeg/locate.ts'),
      import('./ffmpeg/colour.ts'),
    ])
    await requireFilters(toneMapFilters, { because: `${file} is HDR`, instead: 'convert it to SDR first' })
  },
  async chromium() {
    ;(await import('./chromium/locate.ts')).locateChromium()
  },
  async canvas() {
    await (await import('./canvas/drawing.ts')).loadDrawing()
  },
  async pack({ name }) {
    await (await import('./packs/resolve.ts')).requirePack(name)
  },
  async 'text-detection'() {
    const { requirePack } = await import('./packs/resolve.ts')
    await requirePack('onnx-runtime')
    await requirePack('text-detection')
  },
  async 'own-models'({ names }) {
    await (await import('./vision/learned-models.ts')).learnedModelChecksums(names)
  },
  async 'piano-transcriber'() {
    return await (await import('./piano/select-transcriber.ts')).requirePianoTranscriber()
  },
  async 'piano-sound'() {
    await (await import('./piano/piano.ts')).requirePiano()
  },
  async 'speech-recogniser'({ language }) {
    return (await (await import('./speech/select-engine.ts')).selectRecogniser(language)).name
  },
  async 'voice-cloner'({ language, reference }) {
    return (await (await import('./speech/select-engine.ts')).selectVoiceCloner(language, '', reference)).name
  },
  async 'catalogue-voice'({ id, language }) {
    const { requireVoiceEngine, requireVoiceInLanguage } = await import('./voice/catalogue.ts')
    return await requireVoiceEngine(requireVoiceInLanguage(id, language))
  },
  async 'language-identifier'() {
    return (await (await import('./speech/select-engine.ts')).selectLanguageIdentifier()).name
  },
  async 'language-model'(_, { answersBy }) {
    if (answersBy !== 'agent') (await import('./services/configured.ts')).requireService('language_model')
  },
  async 'embedding-model'() {
    return await (await import('./embedding/open.ts')).requireEmbeddingModel()
  },
}

/** Names of the engines that fulfil requirements of which several engines could, by the kind of requirement. */
export type ChosenEngines = ReadonlyMap<Kind, string>

/**
 * Checks requirements in order. Throws 6401 for what is missing; missing packs are collected into one error, whose one
 * command installs all of them, recommended ones included. Optional ones are not checked.
 */
export async function requireAll(
  all: readonly Requirement[],
  options: RequirementOptions = {},
): Promise<ChosenEngines> {
  const requirements = all.filter(({ optional }) => !optional)
  const required = requirements.filter(({ recommended }) => !recommended)
  try {
    return await check(required, options)
  } catch (error) {
    if (required.length === requirements.length || !(error instanceof MediaError)) throw error
    return await check(requirements, options)
  }
}

/** Checks the voice that a request names, if it names one. Throws 6016 and 6017, and 6401 if nothing speaks it. */
export async function requireNamedVoice(all: readonly Requirement[]): Promise<void> {
  await check(
    all.filter(({ kind }) => kind === 'catalogue-voice'),
    {},
  )
}

async function check(
  requirements: readonly Requirement[],
  options: RequirementOptions,
): Promise<ChosenEngines> {
  const { MissingPacks, requireTogether } = await import('./packs/resolve.ts')
  const chosen = new Map<Kind, string>()
  const alternatives = new Map<unknown, string>()
  const all = requirements.map((requirement) => async () => {
    try {
      const name = await (checks[requirement.kind] as Check<Kind>)(requirement, options)
      if (name !== undefined) chosen.set(requirement.kind, name)
    } catch (error) {
      if ((requirement.kind === 'speech-recogniser' || requirement.kind === 'pack') && requirement.instead)
        alternatives.set(error, requirement.instead)
      throw error
    }
  })
  try {
    await requireTogether(all)
  } catch (error) {
    // The error for all missing packs contains those of single ones.
    const [ofPack] = error instanceof MissingPacks ? alternatives.values() : []
    const instead = alternatives.get(error) ?? ofPack
    throw instead !== undefined && error instanceof MediaError ? withAlternative(error, instead) : error
  }
  return chosen
}

/** The same error, whose fix ends with an alternative. */
function withAlternative(error: MediaError, instead: string): MediaError {
  const { code, message, hint, retryable } = error
  return new MediaError(code, message, {
    ...{ cause: error, retryable },
    hint: `${hint.replace(/\.$/, '')}. ${instead}`,
  })
}

/** Returns the 6401 for what every request of an operation is missing, or null if it is ready. */
export async function readinessError(
  module: OperationModule,
  options: RequirementOptions = {},
): Promise<MediaError | null> {
  try {
    const { requirements } = await module.requirements()
    await requireAll(requirements(), options)
    return null
  } catch (error) {
    if (error instanceof MediaError) return error
    throw error
  }
}

/**
 * Returns the packs that the first use of an operation downloads; undefined if it needs none. Includes packs of its usual
 * requests, and ignores what is missing.
 */
export async function firstDownload(module: OperationModule): Promise<FirstDownload | undefined> {
  const [{ collectDownloads }, { requirements }] = await Promise.all([
    import('./packs/resolve.ts'),
    module.requirements(),
  ])
  return await collectDownloads(async () => {
    for (const requirement of requirements()) {
      await check([requirement], {}).catch((error: unknown) => {
        if (!(error instanceof MediaError)) throw error
      })
    }
  })
}

/** One thing that is missing, the fix, and the operations that are blocked by it. */
export interface MissingRequirement {
  readonly operations: readonly string[]
  readonly message: string
  readonly hint: string
}

/** Lists what these operations are missing. Entries with the same fix are combined. */
export async function missingRequirements(
  modules: readonly OperationModule[],
  options: RequirementOptions = {},
): Promise<MissingRequirement[]> {
  const missing = new Map<string, MissingRequirement>()
  for (const module of modules) {
    const error = await readinessError(module, options)
    if (!error) continue
    const { message, hint } = error
    const key = `${message}\n${hint}`
    const others = missing.get(key)?.operations ?? []
    missing.set(key, { operations: [...others, module.operation.name], message, hint })
  }
  return [...missing.values()]
}

import { resolve } from 'node:path'
import { isHttpUrl } from '../engines/packs/allowed-url.ts'
import type { Settings } from './settings.ts'
import { homeFolder } from '../platform/environment.ts'

/** Resolves paths: those of the file from its folder, those of the environment from the current folder. */
export function resolvePaths(given: Settings, base: string): Settings {
  const absolute = (name: string) => resolve(base, name.replace(/^~(?=[/\\]|$)/, homeFolder()))
  const {
    allowed_dirs,
    workspace,
    ffmpeg,
    models_mirror: mirror,
    models,
    voice_service: voiceSetting,
    voices,
  } = given
  return {
    ...given,
    ...(allowed_dirs && { allowed_dirs: allowed_dirs.map(absolute) }),
    ...(workspace && { workspace: absolute(workspace) }),
    ...(mirror && { models_mirror: isHttpUrl(mirror) ? mirror : absolute(mirror) }),
    ...(models && {
      models: Object.fromEntries(
        Object.entries(models).map(([name, model]) => [
          name,
          model && { ...model, path: absolute(model.path) },
        ]),
      ),
    }),
    ...(voiceSetting?.folder !== undefined && {
      voice_service: { ...voiceSetting, folder: absolute(voiceSetting.folder) },
    }),
    ...(voices && {
      voices: voices.map((voice) =>
        voice.recording
          ? { ...voice, recording: { ...voice.recording, path: absolute(voice.recording.path) } }
          : voice,
      ),
    }),
    // A name without folder is searched on PATH.
    ...(ffmpeg && { ffmpeg: /[/\\]/.test(ffmpeg) ? absolute(ffmpeg) : ffmpeg }),
  }
}

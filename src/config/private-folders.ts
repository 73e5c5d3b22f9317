import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { dataFolderParts } from '../daemon/data-files.ts'
import { isHttpUrl } from '../engines/packs/allowed-url.ts'
import { modelFileNames } from '../engines/speech/sherpa/model-files.ts'
import { homeFolder, programFolder } from '../platform/environment.ts'
import type { PrivateFolder } from '../platform/private-folders.ts'
import { compileCacheFolder } from '../platform/runtime.ts'
import type { Config } from './config.ts'

/** Folders of the program that contain code, or text that becomes instructions. */
const programParts = ['bin', 'dist', 'node_modules', 'prompts', 'scripts', 'src', 'tools']

/** Everything that the service uses with any of several configurations, each folder once. */
export function privateFolders(...configs: readonly Config[]): PrivateFolder[] {
  return [...new Map(configs.flatMap(configFolders).map((folder) => [folder.path, folder])).values()]
}

/**
 * Everything on this machine that only the service uses, and no agent may read or write, whatever folders are allowed:
 * the data folder with settings, keys, database and logs, models with their folders, mirror, programs, the folder of a
 * voice service, and recordings of voices.
 */
function configFolders({ dataDir, packs, services, ffmpeg }: Config): PrivateFolder[] {
  const { folder: voiceFolder } = services.voice_service ?? {}
  const { mirror } = packs
  return [
    ...dataFolderParts(dataDir),
    ...Object.values(packs.own).flatMap((model) => (model ? modelFolders(model.path) : [])),
    ...(mirror === undefined || isHttpUrl(mirror) ? [] : [{ path: mirror, use: 'mirror of models' }]),
    ...(voiceFolder === undefined ? [] : [{ path: voiceFolder, use: 'folder of voice_service' }]),
    ...(services.voices ?? []).flatMap(({ recording }) =>
      recording ? [{ path: recording.path, use: 'recording of a voice' }] : [],
    ),
    ...(ffmpeg !== undefined && isAbsolute(ffmpeg) ? ffmpegPrograms(ffmpeg) : []),
    {
      path: join(homeFolder(), compileCacheFolder),
      use: 'folder of compiled code',
      isPublished: true as const,
    },
    ...programParts.map((name) => ({
      ...{ path: join(programFolder, name), use: 'program folder', isPublished: true as const },
    })),
  ]
}

/**
 * A model that the user provides. The engine loads further files beside it, which its checksum does not cover, so that
 * their whole folder is private, or these files if it is one of the user's. A symbolic link has files on both sides.
 */
function modelFolders(path: string): PrivateFolder[] {
  const own = { path, use: 'model' }
  if (isFolder(path)) return [own]
  const folders = new Set([path, realPathIfExists(path)].map((file) => dirname(file)))
  const common = { use: 'folder of a model', namesIfShared: modelFileNames, hint: moveModelHint }
  return [...[...folders].map((folder) => ({ path: folder, ...common })), own]
}

/** A model that does not exist yet counts as a file. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function realPathIfExists(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const moveModelHint =
  'If the user needs other files of this folder, have them move the model to a folder of its own.'

/** The programs themselves: their folder may be one of the user's. */
function ffmpegPrograms(ffmpeg: string): PrivateFolder[] {
  const ffprobe = basename(ffmpeg).replace(/ffmpeg/i, 'ffprobe')
  return [ffmpeg, join(dirname(ffmpeg), ffprobe)].map((path) => ({ path, use: 'program' }))
}

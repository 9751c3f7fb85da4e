/** The addon for this process, or in a sentence why there is none. The engine knows what the addon has. */
export function loadAddon(): { addon: unknown; lack?: undefined } | { addon?: undefined; lack: string };

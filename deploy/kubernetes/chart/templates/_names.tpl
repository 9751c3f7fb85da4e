{{- define "name" -}}
bench-runner
{{- end }}

{{- define "labels" -}}
app.kubernetes.io/name: ringside-bench-runner
{{- end }}

{{- define "recto.labels" -}}
app.kubernetes.io/name: recto
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "recto.name" -}}
{{ printf "%s-recto" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "recto.databaseSecret" -}}
{{- if .Values.database.urlSecretName -}}
{{ .Values.database.urlSecretName }}
{{- else if .Values.database.cloudNativePG.enabled -}}
{{ include "recto.name" . }}-db-app
{{- else -}}
{{ fail "Set database.cloudNativePG.enabled or database.urlSecretName" }}
{{- end -}}
{{- end }}
